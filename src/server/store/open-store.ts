// Opens the database with the lock against other servers, the check of the server key, and the erasure of deleted data on the
// disk.
import type { Config } from '#server/config/config-types.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Log } from '#server/base/log.ts';
import { lockPostgres, type DatabaseLock } from './dialects/postgres-lock.ts';
import { openDatabase, openForCommand, type OpenDatabase } from './open-database.ts';
import { isUpgradeForOneNode } from './migrations.ts';
import type { Database } from './tables.ts';

interface Options {
  config: Pick<Config, 'database' | 'redisUrl'>;
  keys: ServerKeys;
  backUpBeforeMigration(db: Database): Promise<void>;
  log: Log;
}

export interface Store extends OpenDatabase {
  /** Resolves if another server takes over the database. */
  taken: Promise<void>;
  /** Removes deleted data from the disk. Call it after each deletion. */
  onErased(): void;
}

export async function openStore(cleanup: AsyncDisposableStack, options: Options): Promise<Store> {
  const { config, keys, log } = options;
  const lock = await acquireLock(config, log);
  cleanup.defer(() => lock?.release());
  const database = await openDatabase(config.database, keys, log, options.backUpBeforeMigration);
  cleanup.defer(() => database.close());
  if (config.redisUrl !== null) await lock?.share();
  const erasure = database.startErasure();
  cleanup.defer(() => erasure.stop());
  return {
    ...database,
    taken: lock?.taken ?? new Promise(() => {}),
    onErased: () => erasure.schedule(),
  };
}

/** @returns null for SQLite, whose folder is locked */
async function acquireLock(
  { database, redisUrl }: Options['config'],
  log: Log,
): Promise<DatabaseLock | null> {
  if (database.kind === 'sqlite') return null;
  if (redisUrl === null) return lockPostgres(database.url, log, 'server');
  await using db = await openForCommand(database, log, { version: 'any' });
  const isAlone = await isUpgradeForOneNode(db);
  return await lockPostgres(database.url, log, isAlone ? 'upgrade' : 'node');
}
