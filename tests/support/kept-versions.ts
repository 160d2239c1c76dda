// Databases that earlier versions wrote, each with two students, a class, messages, a reaction and a picture.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** The folder with a subfolder for each earlier version. `scripts/keep-version.ts` adds the subfolders. */
export const keptVersionsFolder = fileURLToPath(
  new URL('../app/earlier-versions', import.meta.url),
);

export const toFixtureSecretKey = (version: string) =>
  `the key of the fixture of version ${version}`;

/** Writes the files of a version as a backup does, with the pictures in `FILE.images`. */
export function unpackVersion(version: string, file: string, images = `${file}.images`): void {
  const folder = join(keptVersionsFolder, version);
  writeFileSync(file, gunzipSync(readFileSync(join(folder, 'backchannel.sqlite.gz'))));
  mkdirSync(images, { recursive: true });
  for (const name of readdirSync(folder).filter((fileName) => fileName.endsWith('.webp'))) {
    copyFileSync(join(folder, name), join(images, name));
  }
}
