/**
 * `npm run restore -- FILE` replaces the SQLite database with a backup, or fills an empty PostgreSQL database with it, while
 * the server is stopped. `npm run restore -- --new-epoch` starts a new epoch after the database was restored with other tools.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig, sqliteFileOf, type Config } from '#server/config.ts';
import { copyImages } from '#server/images/image-store.ts';
import { createLog } from '#server/log.ts';
import {
  keyCheckValue,
  loadServerKeys,
  readServerKey,
  serverKeyFile,
  writeServerKey,
} from '#server/server-keys.ts';
import { StartupError, startupFailure } from '#server/startup-failure.ts';
import { lockPostgres } from '#server/storage/dialects/postgres-lock.ts';
import { lockFolder } from '#server/storage/folder-lock.ts';
import { openDatabase } from '#server/storage/open-database.ts';
import { startNewEpoch } from '#server/storage/queries/server-metadata.ts';
import { restore, restoreToPostgres } from '#server/storage/restore.ts';
import { createProgress } from './transfer-report.ts';

process.umask(0o077);
const log = createLog();

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'new-epoch': { type: 'boolean', default: false } },
  });
  const [given] = positionals;
  if (positionals.length !== (values['new-epoch'] ? 0 : 1)) {
    throw new StartupError('name the backup: npm run restore -- FILE.');
  }
  const config = readConfig();
  if (given) await restoreFile(config, resolve(given));
  else await beginNewEpoch(config);
} catch (error) {
  console.error(startupFailure(error, 'restore'));
  process.exit(1);
}

async function restoreFile(config: Config, file: string): Promise<void> {
  const { database, images, dataDir, secretKey } = config;
  if (!existsSync(file)) throw new StartupError(`there is no ${file}.`);
  const unlock = lockFolder(dataDir);
  try {
    const keyFile = serverKeyFile(dataDir);
    const brought = !secretKey && !existsSync(keyFile) ? keyBeside(file, keyFile) : null;
    const keyCheck = keyCheckValue(loadServerKeys(secretKey ?? brought, dataDir));
    const copyFiles = () => {
      if (images.kind === 'disk') copyImages(`${file}.images`, images.dir);
    };
    const source = { keyCheck, log, copyFiles };
    const replaced =
      database.kind === 'postgres'
        ? await restoreInto(database.url, dataDir, file, source)
        : await restore(file, database.file, source);
    if (brought) writeServerKey(keyFile, brought);
    console.log(`${file} is the database now: start the server.`);
    if (replaced) {
      console.log(`What it replaced is in ${replaced}: delete that when nothing is missed.`);
    }
  } finally {
    unlock();
  }
}

async function restoreInto(
  url: string,
  dataDir: string,
  file: string,
  source: Parameters<typeof restore>[2],
): Promise<null> {
  const lock = await lockPostgres(url, log);
  const progress = createProgress();
  try {
    const { report } = progress;
    await restoreToPostgres(file, sqliteFileOf(dataDir), { ...source, url, report });
    return null;
  } finally {
    progress.end();
    await lock.release();
  }
}

/** A folder without a key must not get a new one, because the personas of the backup would be lost. */
function keyBeside(file: string, keyFile: string): string {
  if (existsSync(`${file}.key`)) return readServerKey(`${file}.key`);
  throw new StartupError(`the server's key is missing. Put it at ${keyFile}, or set SECRET_KEY.`);
}

async function beginNewEpoch({ database, dataDir, secretKey }: Config): Promise<void> {
  const there =
    database.kind === 'postgres' ||
    (existsSync(database.file) && (secretKey || existsSync(serverKeyFile(dataDir))));
  if (!there) throw new StartupError('the data folder holds no database, or no server key.');
  const unlock = lockFolder(dataDir);
  const lock = database.kind === 'postgres' ? await lockPostgres(database.url, log) : null;
  try {
    const keyCheck = keyCheckValue(loadServerKeys(secretKey, dataDir));
    const { db } = await openDatabase(database, keyCheck, log);
    await db.transaction().execute(startNewEpoch);
    await db.destroy();
    console.log('Browsers will take fresh snapshots: start the server.');
  } finally {
    await lock?.release();
    unlock();
  }
}
