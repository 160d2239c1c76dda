// A server whose web app gets a new version: the same code under other file names, as after an update.
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureWebBuilt, webDir } from '#server/features/web-app/web-build.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

export interface UpdatedSite {
  app: RunningApp;
  /** Restarts the server with another version. It no longer has the files of the old one. */
  update(): Promise<void>;
  end(): Promise<void>;
}

/** Each version has one of these signs in the names of its files. */
const versionSigns = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

export async function createUpdatedSite(): Promise<UpdatedSite> {
  await ensureWebBuilt(() => undefined);
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-version-'));
  cpSync(webDir, dir, { recursive: true });
  const app = await startApp({}, undefined, dir);
  const usedNames = new Set(readdirSync(join(dir, 'assets')));
  return {
    app,
    update: () => app.restart(async () => renameAssets(dir, usedNames)),
    async end() {
      await app.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

/**
 * Renames all assets, and replaces the old names and the old version in the texts that cite them.
 *
 * @param usedNames the names of all versions: a browser keeps a file for ever, so no other content may get its name
 */
function renameAssets(dir: string, usedNames: Set<string>): void {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((file) => file.endsWith('.br'))) rmSync(join(dir, name));
  const assets = readdirSync(join(dir, 'assets'));
  const rename = (name: string, sign: string) => name.replace(/-..([\w-]{6}\.\w+)$/, `-${sign}$1`);
  const versionSign = versionSigns.find(
    (sign) => !assets.some((name) => usedNames.has(rename(name, sign))),
  );
  if (versionSign === undefined) throw new Error('All signs of versions are used.');
  const names = new Map(assets.map((name) => [name, rename(name, versionSign)]));
  for (const [oldName, newName] of names) {
    usedNames.add(newName);
    renameSync(join(dir, 'assets', oldName), join(dir, 'assets', newName));
  }
  const toVersion = (assetNames: Iterable<string>) => {
    // As service-worker-plugin.ts chooses them.
    const shellAssets = [...assetNames].filter((name) =>
      /^(?!texts-).*\.(js|css|svg|woff2)$/.test(name),
    );
    const paths = shellAssets.map((name) => `/assets/${name}`).toSorted();
    return createHash('sha256').update(paths.join()).digest('base64url').slice(0, 10);
  };
  names.set(toVersion(names.keys()), toVersion(names.values()));
  const newAssets = readdirSync(join(dir, 'assets')).map((file) => `assets/${file}`);
  for (const name of ['index.html', 'signed-in.html', 'service-worker.js', ...newAssets]) {
    if (!/\.(html|js|css)$/.test(name)) continue;
    let text = readFileSync(join(dir, name), 'utf8');
    for (const [oldName, newName] of names) text = text.replaceAll(oldName, newName);
    writeFileSync(join(dir, name), text);
  }
}
