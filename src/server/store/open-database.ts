import { existsSync } from 'node:fs';
import { Kysely, sql, type Dialect } from 'kysely';
import type { Config } from '#server/config/config-types.ts';
import { computeKeyCheck, findKeyProblem, type ServerKeys } from '#server/base/server-keys.ts';
import type { Log } from '#server/base/log.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import type { Tables } from './tables.ts';
import { createPostgresDialect } from './dialects/postgres.ts';
import { openSqlite, createSqliteDialect } from './dialects/sqlite.ts';
import { removeDroppedTables } from './erasure/overwrite-old-rows.ts';
import { PageScrubber } from './erasure/page-scrubber.ts';
import { createVacuum, type Erasure } from './erasure/vacuum.ts';
import { WalFile } from './erasure/wal-file.ts';
import { checkMigrated, migrate } from './migrations.ts';
import { openAccounts } from './sealed-accounts.ts';
import { insertMetadataOnce, createEpoch } from './server-metadata-queries.ts';
import { toStartupError } from './storage-errors.ts';
import { checkNoTransfer } from './transfer-progress.ts';

export interface OpenDatabase {
  db: Kysely<Tables>;
  /**
   * The connections for commits and the lease. On PostgreSQL they are separate, so that commits do not wait while many sockets
   * read.
   */
  commitDb: Kysely<Tables>;
  kind: Config['database']['kind'];
  /** A random id of this database's history. If it changes, seqs start again. */
  epoch: string;
  /** Starts what removes deleted data from the disk. Only the server starts it. */
  startErasure(): Erasure;
  close(): Promise<void>;
}

/** Runs before the tables are changed. */
type BeforeMigration = (db: Kysely<Tables>) => Promise<void>;

/** One connection for each of the two commit queues, and one for the lease. */
const commitConnections = 3;
/** How long a command waits for the server's commits to the SQLite file. */
const lockWaitMs = 2000;

/**
 * Opens, migrates and checks the database.
 *
 * @throws {StartupError}
 */
export async function openDatabase(
  config: Config['database'],
  keys: ServerKeys,
  log: Log,
  beforeMigration?: BeforeMigration,
): Promise<OpenDatabase> {
  const epoch = await prepareDatabase(config, keys, log, beforeMigration);
  const { dialect, startErasure, close } = createEngine(config, log);
  const db = new Kysely<Tables>({ dialect });
  // SQLite has only one connection.
  const commitDb =
    config.kind === 'postgres'
      ? new Kysely<Tables>({
          dialect: createPostgresDialect(config.url, log, true, commitConnections),
        })
      : db;
  return {
    db,
    commitDb,
    kind: config.kind,
    epoch,
    startErasure: () => startErasure(db),
    async close() {
      await Promise.all([db.destroy(), commitDb.destroy()]);
      close();
    },
  };
}

async function prepareDatabase(
  config: Config['database'],
  keys: ServerKeys,
  log: Log,
  beforeMigration?: BeforeMigration,
): Promise<string> {
  await using db = await openMigrated(config, keys, log, beforeMigration);
  try {
    await insertMetadataOnce(db, 'keyCheck', computeKeyCheck(keys));
    // Of two nodes that start together on a new database, the other one may have stored its key first.
    await checkKey(db, keys);
    return await insertMetadataOnce(db, 'epoch', createEpoch());
  } catch (error) {
    throw toStartupError(error);
  }
}

/** @throws {StartupError} if the database belongs to another key */
async function checkKey(db: Kysely<Tables>, keys: ServerKeys): Promise<void> {
  const storedCheck = await findKeyCheck(db);
  if (storedCheck === null) return;
  const keyProblem = findKeyProblem(storedCheck, computeKeyCheck(keys));
  if (keyProblem !== null) throw new StartupError(keyProblem);
}

/** @returns the check value of the key that the database belongs to; null if the database is empty */
export async function findKeyCheck(db: Kysely<Tables>): Promise<string | null> {
  const names = (await db.introspection.getTables()).map(({ name }) => name);
  // Before migration 0063, the table had another name.
  const table = ['serverMetadata', 'facts'].find((name) => names.includes(name));
  if (table === undefined) return null;
  const { rows } = await sql<{ value: string }>`
    select value from ${sql.table(table)} where name = 'keyCheck'`.execute(db);
  return rows[0]?.value ?? null;
}

/**
 * Opens and migrates.
 *
 * @param keys null if the key is lost
 * @throws {StartupError} if the database belongs to another key: migrations would lose what they cannot open
 */
export async function openMigrated(
  config: Config['database'],
  keys: ServerKeys | null,
  log: Log,
  beforeMigration?: BeforeMigration,
): Promise<Kysely<Tables>> {
  if (config.kind === 'sqlite' && keys) openAccounts(config.file, keys);
  return openWithoutTimeouts(config, log, async (db) => {
    if (keys) await checkKey(db, keys);
    await beforeMigration?.(db);
    const onWaiting = createWaitingReport(log);
    await migrate(db, config.kind, { keys, onWaiting });
    await removeDroppedTables(db, config.kind, onWaiting);
  });
}

/** Creates a function that logs once that the start waits. */
function createWaitingReport(log: Log): () => void {
  let isReported = false;
  return () => {
    if (!isReported) log.warn('migration.waiting');
    isReported = true;
  };
}

/** @throws {StartupError} if there is no SQLite file, because a command creates none. */
export function checkDatabaseExists(config: Config['database']): void {
  if (config.kind === 'sqlite' && !existsSync(config.file)) {
    throw new StartupError(
      `there is no ${config.file}. Set DATA_DIR to the data folder of the server.`,
    );
  }
}

/**
 * Opens the database for a command that may run next to a server. Therefore it creates and migrates nothing.
 *
 * @throws {StartupError} if there is no database, or if it is not of this version and `version` is 'current'
 */
export async function openForCommand(
  config: Config['database'],
  log: Log,
  { version }: { version: 'current' | 'any' } = { version: 'current' },
): Promise<Kysely<Tables>> {
  checkDatabaseExists(config);
  return openWithoutTimeouts(config, log, async (db) => {
    if (version === 'current') await checkMigrated(db, config.kind);
  });
}

/**
 * A migration or a command may take longer than a statement of a server, and may wait for the lock on the SQLite file.
 *
 * @param prepare what must succeed before the database is used
 */
async function openWithoutTimeouts(
  config: Config['database'],
  log: Log,
  prepare: (db: Kysely<Tables>) => Promise<void>,
): Promise<Kysely<Tables>> {
  const options = { busyTimeoutMs: lockWaitMs, hasTimeouts: false };
  const db = new Kysely<Tables>({ dialect: createEngine(config, log, options).dialect });
  try {
    await checkNoTransfer(db, config.kind);
    await prepare(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw toStartupError(error);
  }
}

interface Engine {
  dialect: Dialect;
  startErasure(db: Kysely<Tables>): Erasure;
  /** Closes a database that Kysely has not used: Kysely closes only what it has used. */
  close(): void;
}

function createEngine(
  config: Config['database'],
  log: Log,
  { busyTimeoutMs = 0, hasTimeouts = true } = {},
): Engine {
  if (config.kind === 'postgres') {
    return {
      dialect: createPostgresDialect(config.url, log, hasTimeouts),
      startErasure: (db) => createVacuum(db, log),
      close() {},
    };
  }
  const { file } = config;
  try {
    const database = openSqlite(file, busyTimeoutMs);
    const walFile = new WalFile(file);
    let scrubber: PageScrubber | null = null;
    return {
      dialect: createSqliteDialect(database),
      startErasure(db) {
        const newScrubber = new PageScrubber({ file, database, db, walFile }, log);
        scrubber = newScrubber;
        // It looks for changes by itself.
        return { schedule() {}, stop: () => newScrubber.stop() };
      },
      close() {
        database.close();
        scrubber?.closeFile();
      },
    };
  } catch (error) {
    throw toStartupError(error);
  }
}
