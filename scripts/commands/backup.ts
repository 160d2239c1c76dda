/**
 * `npm run backup -- FILE [--with-key]` copies the database and the pictures. The server may be running.
 * `npm run backup -- --to s3://BUCKET/PREFIX [--with-key]` uploads them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '#server/config/config-types.ts';
import { copyImages } from '#server/pictures/image-store.ts';
import { createLog } from '#server/base/log.ts';
import { loadSecret, writeServerKey } from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { backUp, removeAbandonedBackups } from '#server/features/backups/back-up.ts';
import { createCommand, parseArguments, type Output } from './command-call.ts';
import { isS3Url, toBackupName, openTarget, uploadPictures } from './s3-backups.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { createProgress } from './transfer-report.ts';

const silent = createLog({ write: () => {} });

export const runBackup = createCommand('back up', async ({ args, loadConfig, out }) => {
  const usage =
    'name one file that does not exist: npm run backup -- FILE. For S3: npm run backup -- --to s3://BUCKET/PREFIX.';
  const options = {
    'with-key': { type: 'boolean', default: false },
    to: { type: 'string' },
  } as const;
  const { values, positionals } = parseArguments(args, options, usage);
  const [givenFile] = positionals;
  const { to, 'with-key': withKey } = values;
  if ((to === undefined) === (givenFile === undefined) || positionals.length > 1) {
    throw new StartupError(usage);
  }
  if (givenFile && isS3Url(givenFile)) throw new StartupError(`for S3, use --to ${givenFile}.`);
  const config = loadConfig();
  if (to === undefined) await writeBackupFile(config, resolve(givenFile ?? ''), withKey, out);
  else await uploadBackup(config, to, withKey, out);
});

async function writeBackupFile(
  config: Config,
  file: string,
  withKey: boolean,
  out: Output,
): Promise<void> {
  const { database, images } = config;
  const keyFile = `${file}.key`;
  const imagesDir = `${file}.images`;
  removeAbandonedBackups(dirname(file), ['.images', '.key']);
  if (existsSync(imagesDir)) {
    throw new StartupError(`${imagesDir} exists already. Name another file.`);
  }
  if (withKey && existsSync(keyFile)) {
    throw new StartupError(`${keyFile} exists already. Name another file.`);
  }
  let pictures = 0;
  const copyFiles = () => {
    // Pictures are copied after the database, so that all pictures to which the copy refers exist, except those deleted since.
    if (images.kind === 'disk') pictures = copyImages(images.dir, imagesDir);
    if (withKey) writeServerKey(keyFile, loadSecret(config.secretKey, config.keyDir));
  };
  const progress = createProgress(out);
  await backUp(database, file, silent, progress.report, copyFiles);
  progress.end();
  out.write(`The database is in ${file}.\n`);
  if (pictures > 0) out.write(`The pictures are in ${imagesDir}.\n`);
  reportRest(config, withKey ? keyFile : null, out);
}

/** Uploads the database last, so that a command that is killed leaves nothing that looks like a backup. */
async function uploadBackup(
  config: Config,
  to: string,
  withKey: boolean,
  out: Output,
): Promise<void> {
  const { database, images } = config;
  const { folder, path } = openTarget(config, to);
  const name = toBackupName(new Date());
  // This fails before the long work if the keys or the bucket are wrong.
  await folder.list(name);
  const temporary = makeTemporaryFolder('backchannel-backup-');
  try {
    const file = join(temporary.path, name);
    const progress = createProgress(out);
    await backUp(database, file, silent, progress.report, () => {});
    const pictures = images.kind === 'disk' ? await uploadPictures(folder, images.dir) : 0;
    if (withKey) {
      writeServerKey(`${file}.key`, loadSecret(config.secretKey, config.keyDir));
      await folder.put(`${name}.key`, new Uint8Array(readFileSync(`${file}.key`)));
    }
    await folder.uploadFile(name, file);
    progress.end();
    out.write(`The database is in ${path}/${name}.\n`);
    if (pictures > 0) out.write(`The pictures are in ${path}/pictures.\n`);
  } finally {
    temporary.remove();
  }
  reportRest(config, withKey ? `${path}/${name}.key` : null, out);
}

function reportRest({ images }: Config, keyFile: string | null, out: Output): void {
  if (images.kind === 's3') out.write('The pictures are in S3, and not in it.\n');
  out.write(
    keyFile === null
      ? 'The server’s key is not in it: keep a copy of that elsewhere.\n'
      : `The server's key is in ${keyFile}: anyone who has both can link personas to accounts.\n`,
  );
}
