// Rejects connection poolers that share PostgreSQL's sessions between clients. The lock of postgres-lock.ts would
// belong to any client, and the timeouts of a session would apply to others.
import type pg from 'pg';
import { StartupError } from '#server/base/startup-failure.ts';
import { toStartupError } from '#server/store/storage-errors.ts';
import { endOrDestroy, TimedClient } from './postgres-client.ts';

/**
 * @param client a connected client that is not in a transaction
 * @throws {StartupError} if the client has no separate session
 */
export async function rejectSharedSession(client: pg.Client, url: string): Promise<void> {
  const session = await getSessionId(client);
  // PostgreSQL tells the session id when it accepts a connection. A pooler tells an invented number.
  if ((client as unknown as { processID: number | null }).processID === session) return;
  const secondClient = new TimedClient({ connectionString: url });
  secondClient.on('error', () => {});
  try {
    await secondClient.connect();
    // A transaction keeps its session. So a pooler that shares sessions now gives the first client another one.
    await secondClient.query('begin');
    const isShared =
      (await getSessionId(secondClient)) === session || (await getSessionId(client)) !== session;
    if (isShared) throw createSharedSessionError();
  } catch (error) {
    // PgBouncer with pool_mode = statement rejects transactions.
    const rejectsTransactions = error instanceof Error && /statement pooling/.test(error.message);
    throw rejectsTransactions ? createSharedSessionError() : error;
  } finally {
    await endOrDestroy(secondClient.end(), () => [secondClient]).catch(() => {});
  }
}

/**
 * Connects to check for a pooler, for a command.
 *
 * @throws {StartupError} as `rejectSharedSession`
 */
export async function checkOwnSession(url: string): Promise<void> {
  const client = new TimedClient({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await rejectSharedSession(client, url);
  } catch (error) {
    throw toStartupError(error);
  } finally {
    await endOrDestroy(client.end(), () => [client]).catch(() => {});
  }
}

/** The id of PostgreSQL's process, of which each session has one. */
async function getSessionId(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  return rows[0]?.id;
}

function createSharedSessionError(): StartupError {
  return new StartupError(
    'DATABASE_URL leads to a connection pooler that shares sessions between clients, and the server needs its own. Connect to PostgreSQL directly, or set pool_mode = session in PgBouncer.',
  );
}
