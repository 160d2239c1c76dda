import { deriveServerKeys } from '#server/base/server-keys.ts';
import { listPendingRemovals, type StoredRemoval } from '#server/chat/members/pending-removals.ts';
import { runOnDatabase } from '#server/commands/run-on-database.ts';
import { loadConfig } from '#server/config/config.ts';

/** Decrypts the removals that wait. A server may use the database. */
export function listStoredRemovals(
  settings: Parameters<typeof loadConfig>[0],
  secret: string,
): Promise<StoredRemoval[]> {
  const { database } = loadConfig(settings);
  const site = { keys: deriveServerKeys(secret), operators: [], accountRecords: null as never };
  return runOnDatabase(database, ({ db }) => listPendingRemovals({ db, site }));
}
