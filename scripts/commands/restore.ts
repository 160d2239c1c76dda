/**
 * `npm run restore -- FILE` replaces the SQLite database with a backup, or fills an empty PostgreSQL database with it, while the
 * server is stopped. FILE can be in S3: `s3://BUCKET/PREFIX/NAME.sqlite`. `npm run restore -- --drill FILE` tries that out in a
 * temporary folder, next to the server. `npm run restore -- --new-epoch` starts a new epoch after the database was restored with
 * other tools.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { toSharedPicturesFolder } from '#server/features/backups/backup-names.ts';
import { listPictureNames } from '#server/features/backups/make-backup.ts';
import { toSqliteFile } from '#server/config/config.ts';
import type { Config } from '#server/config/config-types.ts';
import { copyImages } from '#server/pictures/image-store.ts';
import { createLog } from '#server/base/log.ts';
import {
  loadServerKeys,
  loadServerKey,
  toServerKeyFile,
  writeServerKey,
} from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { lockPostgres } from '#server/store/dialects/postgres-lock.ts';
import { lockFolder } from '#server/store/folder-lock.ts';
import { openDatabase } from '#server/store/open-database.ts';
import { startNewEpoch } from '#server/store/server-metadata-queries.ts';
import { restore, restoreToPostgres } from '#server/features/backups/restore.ts';
import { createCommand, parseArguments, type Output } from './command-call.ts';
import { findPictureFiles, tryRestore } from './restore-drill.ts';
import {
  downloadBackup,
  downloadPictures,
  isS3Url,
  listPictures,
  openSource,
} from './s3-backups.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { createProgress } from './transfer-report.ts';

export const runRestore = createCommand('restore', async ({ args, loadConfig, out }) => {
  const usage = 'name the backup: npm run restore -- [--drill] FILE.';
  const options = {
    'new-epoch': { type: 'boolean', default: false },
    drill: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArguments(args, options, usage);
  const [givenFile] = positionals;
  if (positionals.length !== (values['new-epoch'] && !values.drill ? 0 : 1)) {
    throw new StartupError(usage);
  }
  const config = loadConfig();
  if (givenFile && isS3Url(givenFile)) await restoreFromS3(config, givenFile, values.drill, out);
  else if (givenFile && values.drill) await drill(config, resolve(givenFile), out);
  else if (givenFile) await restoreFile(config, resolve(givenFile), out);
  else await beginNewEpoch(config, out);
});

async function restoreFromS3(
  config: Config,
  url: string,
  isDrill: boolean,
  out: Output,
): Promise<void> {
  const { folder, name } = openSource(config, url);
  const { path, remove } = makeTemporaryFolder('backchannel-restore-');
  try {
    const file = await downloadBackup(folder, name, path);
    if (isDrill) {
      const pictures = await listPictures(folder);
      const place = `${url.slice(0, -name.length)}pictures`;
      await drill(config, file, out, { place, has: (picture) => pictures.has(picture) });
    } else {
      const copyPictures = (dir: string) => downloadPictures(folder, file, dir);
      await restoreFile(config, file, out, { name: url, copyPictures });
    }
  } finally {
    remove();
  }
}

async function restoreFile(
  config: Config,
  file: string,
  out: Output,
  { name = file, copyPictures = async (dir: string) => copyBackupPictures(file, dir) } = {},
): Promise<void> {
  const { database, images, dataDir, keyDir, secretKey } = config;
  if (!existsSync(file)) throw new StartupError(`there is no ${file}.`);
  const log = createLog(out);
  const unlock = lockFolder(dataDir);
  try {
    const keyFile = toServerKeyFile(keyDir);
    const backupKey = !secretKey && !existsSync(keyFile) ? loadKeyOfBackup(file, keyFile) : null;
    const keys = loadServerKeys(secretKey ?? backupKey, keyDir);
    const copyFiles = async () => {
      if (images.kind === 'disk') await copyPictures(images.dir);
    };
    const source = { keys, log, copyFiles };
    const replacedFile =
      database.kind === 'postgres'
        ? await restoreInto(database.url, dataDir, file, source, out)
        : await restore(file, database.file, source);
    if (backupKey) writeServerKey(keyFile, backupKey);
    out.write(`${name} is the database now: start the server.\n`);
    if (replacedFile) {
      out.write(`What it replaced is in ${replacedFile}: delete that when nothing is missed.\n`);
    }
  } finally {
    unlock();
  }
}

function copyBackupPictures(file: string, dir: string): void {
  const imagesFolder = `${file}.images`;
  if (existsSync(imagesFolder)) copyImages(imagesFolder, dir);
  // The shared folder also has pictures of other backups. A picture that has no row would never be deleted.
  else copyImages(toSharedPicturesFolder(file), dir, listPictureNames(file));
}

async function drill(
  { images, keyDir, secretKey }: Config,
  file: string,
  out: Output,
  pictureFiles = findPictureFiles(file),
): Promise<void> {
  if (!existsSync(file)) throw new StartupError(`there is no ${file}.`);
  const keyFile = toServerKeyFile(keyDir);
  const key =
    secretKey ?? (existsSync(keyFile) ? loadServerKey(keyFile) : loadKeyOfBackup(file, keyFile));
  const { version, rows, tables, pictures } = await tryRestore(
    file,
    key,
    images.kind === 'disk' ? pictureFiles : null,
  );
  out.write(
    `The backup works: a server of version ${version} is ready on a copy of it, with ${rows.toLocaleString('en')} rows in ${tables} tables.\n`,
  );
  if (pictures !== null) {
    out.write(`All files of its ${pictures.toLocaleString('en')} pictures are there.\n`);
  }
  out.write('The copy is deleted again.\n');
}

async function restoreInto(
  url: string,
  dataDir: string,
  file: string,
  source: Parameters<typeof restore>[2],
  out: Output,
): Promise<null> {
  const lock = await lockPostgres(url, source.log, 'command');
  const progress = createProgress(out);
  try {
    const { report } = progress;
    await restoreToPostgres(file, toSqliteFile(dataDir), { ...source, url, report });
    return null;
  } finally {
    progress.end();
    await lock.release();
  }
}

/** Loads the key that was backed up. The folder must not get a new key, because the personas of the backup would be lost. */
function loadKeyOfBackup(file: string, keyFile: string): string {
  if (existsSync(`${file}.key`)) return loadServerKey(`${file}.key`);
  throw new StartupError(`the server's key is missing. Put it at ${keyFile}, or set SECRET_KEY.`);
}

async function beginNewEpoch(
  { database, dataDir, keyDir, secretKey }: Config,
  out: Output,
): Promise<void> {
  const isComplete =
    database.kind === 'postgres' ||
    (existsSync(database.file) && (secretKey || existsSync(toServerKeyFile(keyDir))));
  if (!isComplete) throw new StartupError('the data folder holds no database, or no server key.');
  const log = createLog(out);
  const unlock = lockFolder(dataDir);
  const lock =
    database.kind === 'postgres' ? await lockPostgres(database.url, log, 'command') : null;
  try {
    const keys = loadServerKeys(secretKey, keyDir);
    const openedDatabase = await openDatabase(database, keys, log);
    await openedDatabase.db.transaction().execute(startNewEpoch);
    await openedDatabase.close();
    out.write('Browsers will take fresh snapshots: start the server.\n');
  } finally {
    await lock?.release();
    unlock();
  }
}
