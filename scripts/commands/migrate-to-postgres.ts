/**
 * `npm run migrate-to-postgres` copies the SQLite database of DATA_DIR into the empty PostgreSQL database of DATABASE_URL,
 * while the server is stopped. Ids, sessions and the epoch stay the same, so browsers notice nothing. The files of the
 * folder stay.
 */
import { existsSync } from 'node:fs';
import { toSqliteFile } from '#server/config/config.ts';
import type { Config } from '#server/config/config-types.ts';
import { createLog } from '#server/base/log.ts';
import { computeKeyCheck, loadServerKeys, toServerKeyFile } from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { lockPostgres } from '#server/store/dialects/postgres-lock.ts';
import { lockFolder } from '#server/store/folder-lock.ts';
import { findKeyCheck, openForCommand, openMigrated } from '#server/store/open-database.ts';
import {
  checkTarget,
  copyToPostgres,
  type TableSummaries,
} from '#server/features/backups/transfer/copy-to-postgres.ts';
import { createCommand, type Output } from './command-call.ts';
import { createProgress } from './transfer-report.ts';

const log = createLog({ write: () => {} });

export const runMigration = createCommand('migrate', async ({ loadConfig, out }) => {
  const config = loadConfig();
  const { database, dataDir, images } = config;
  if (database.kind !== 'postgres') {
    throw new StartupError(
      'set DATABASE_URL to an empty PostgreSQL database, and SECRET_KEY to the key of the data folder.',
    );
  }
  const file = toSqliteFile(dataDir);
  if (!existsSync(file)) {
    throw new StartupError(`there is no ${file}. Set DATA_DIR to the data folder of the server.`);
  }
  const unlock = lockFolder(dataDir);
  try {
    const summaries = await copy(file, database.url, config, out);
    const count = [...summaries.values()].reduce((sum, { rows }) => sum + rows, 0);
    out.write(
      `${count.toLocaleString('en')} rows in ${summaries.size} tables are in PostgreSQL, and each table has the digest of the original.\n`,
    );
    if (images.kind === 'disk') out.write(`The pictures stay in ${images.dir}.\n`);
    out.write(
      `Start the server with the same settings. ${file} is unchanged: delete it when nothing is missed.\n`,
    );
  } finally {
    unlock();
  }
});

async function copy(
  file: string,
  url: string,
  config: Config,
  out: Output,
): Promise<TableSummaries> {
  const lock = await lockPostgres(url, log, 'command');
  const progress = createProgress(out);
  try {
    const { report } = progress;
    // The target is checked before the folder is migrated, because the server of an earlier version may have to use the folder again.
    await checkTarget({ file, url, log });
    await checkKey(file, config);
    await migrateFolder(file, config);
    return await copyToPostgres({ file, url, log, report, startNewEpoch: null });
  } finally {
    progress.end();
    await lock.release();
  }
}

/** Checks that SECRET_KEY is the key of the folder's database. */
async function checkKey(file: string, { secretKey, keyDir }: Config): Promise<void> {
  const keyCheck = computeKeyCheck(loadServerKeys(secretKey, keyDir));
  await using db = await openForCommand({ kind: 'sqlite', file }, log, { version: 'any' });
  if ((await findKeyCheck(db)) === keyCheck) return;
  throw new StartupError(
    existsSync(toServerKeyFile(keyDir))
      ? `SECRET_KEY is not the key of the data folder. Set it to the content of ${toServerKeyFile(keyDir)}.`
      : 'SECRET_KEY is not the key of the data folder. Set it to the key that the server had.',
  );
}

/** Migrates the folder's database to this version. */
async function migrateFolder(file: string, { secretKey, keyDir }: Config): Promise<void> {
  const keys = loadServerKeys(secretKey, keyDir);
  const db = await openMigrated({ kind: 'sqlite', file }, keys, log);
  await db.destroy();
}
