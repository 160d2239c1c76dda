import { timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Kysely, type Dialect } from 'kysely';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';
import type { Database, Tables } from './database.ts';
import { createRowOrderEraser as createPostgresRowOrderEraser } from './dialects/postgres-row-order.ts';
import { postgresDialect } from './dialects/postgres.ts';
import { createRowOrderEraser as createSqliteRowOrderEraser } from './dialects/sqlite-row-order.ts';
import { openSqlite, sqliteDialect } from './dialects/sqlite.ts';
import { checkMigrated, migrate } from './migrations.ts';
import { newEpoch } from './new-history.ts';
import type { RowOrderEraser } from './row-order.ts';
import { storageFailure } from './storage-failure.ts';

export interface OpenDatabase {
  db: Kysely<Tables>;
  kind: Config['database']['kind'];
  /** A random id of this database's history. If it changes, seqs start again. */
  epoch: string;
  /** For the server only: no other process changes account tables. */
  startRowOrderEraser(): RowOrderEraser;
}

/**
 * Opens, migrates and checks the database.
 *
 * @param keyCheck the check value of this server's key (see `keyCheckValue`)
 * @throws {StartupError}
 */
export async function openDatabase(
  config: Config['database'],
  keyCheck: string,
  log: Log,
): Promise<OpenDatabase> {
  const epoch = await prepareDatabase(config, keyCheck, log);
  const { dialect, startRowOrderEraser } = engineOf(config, log);
  const db = new Kysely<Tables>({ dialect });
  return { db, kind: config.kind, epoch, startRowOrderEraser: () => startRowOrderEraser(db) };
}

async function prepareDatabase(
  config: Config['database'],
  keyCheck: string,
  log: Log,
): Promise<string> {
  const db = await openMigrated(config, log);
  try {
    const known = await insertMetadataOnce(db, 'keyCheck', keyCheck);
    const same = known.length === keyCheck.length;
    if (!same || !timingSafeEqual(Buffer.from(known), Buffer.from(keyCheck))) {
      throw new StartupError(
        'this database belongs to another server key. Restore server.key in the data folder, or SECRET_KEY. If that key is lost, run npm run admin -- new-key.',
      );
    }
    return await insertMetadataOnce(db, 'epoch', newEpoch());
  } catch (error) {
    throw storageFailure(error);
  } finally {
    await db.destroy();
  }
}

/**
 * Opens and migrates without checking the server key. The connection has no timeouts: a migration may take
 * longer than a server's statement, and may wait for a lock on the SQLite file.
 *
 * @throws {StartupError}
 */
export async function openMigrated(config: Config['database'], log: Log): Promise<Kysely<Tables>> {
  const patient = { waitMs: commandWaitMs, limited: false };
  const db = new Kysely<Tables>({ dialect: engineOf(config, log, patient).dialect });
  try {
    await migrate(db, config.kind);
    return db;
  } catch (error) {
    await db.destroy();
    throw storageFailure(error);
  }
}

/** How long a command waits for the server's commits to the SQLite file. */
const commandWaitMs = 2000;

/**
 * For a command that may run next to a server: creates and migrates nothing.
 *
 * @throws {StartupError}
 */
export async function openForCommand(
  config: Config['database'],
  log: Log,
): Promise<Kysely<Tables>> {
  if (config.kind === 'sqlite' && !existsSync(config.file)) {
    throw new StartupError(
      `there is no ${config.file}. Set DATA_DIR to the data folder of the server.`,
    );
  }
  const db = new Kysely<Tables>({
    dialect: engineOf(config, log, { waitMs: commandWaitMs, limited: false }).dialect,
  });
  try {
    await checkMigrated(db, config.kind);
    return db;
  } catch (error) {
    await db.destroy();
    throw storageFailure(error);
  }
}

interface Engine {
  dialect: Dialect;
  startRowOrderEraser(db: Kysely<Tables>): RowOrderEraser;
}

function engineOf(
  config: Config['database'],
  log: Log,
  { waitMs = 0, limited = true } = {},
): Engine {
  if (config.kind === 'postgres') {
    return {
      dialect: postgresDialect(config.url, log, limited),
      startRowOrderEraser: (db) => createPostgresRowOrderEraser(db, log),
    };
  }
  const { file } = config;
  try {
    const database = openSqlite(file, waitMs);
    return {
      dialect: sqliteDialect(database),
      startRowOrderEraser: () => createSqliteRowOrderEraser(database, file, log),
    };
  } catch (error) {
    throw storageFailure(error);
  }
}

/** @returns the stored value; inserts the given one if there is none */
async function insertMetadataOnce(db: Database, name: string, value: string): Promise<string> {
  await db
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
