// Opens the database with the lock against other servers, the check of the server key, and the erasure of deleted data on the
// disk.
import type { Config } from '#server/config/config-types.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Log } from '#server/base/log.ts';
import { lockPostgres } from './dialects/postgres-lock.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
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
  let takeover: Promise<void> = new Promise(() => {});
  if (config.database.kind === 'postgres') {
    const lockUse = config.redisUrl === null ? 'server' : 'node';
    const lock = await lockPostgres(config.database.url, log, lockUse);
    cleanup.defer(() => lock.release());
    takeover = lock.taken;
  }
  const database = await openDatabase(config.database, keys, log, options.backUpBeforeMigration);
  cleanup.defer(() => database.close());
  const erasure = database.startErasure();
  cleanup.defer(() => erasure.stop());
  return { ...database, taken: takeover, onErased: () => erasure.schedule() };
}
