// One server per PostgreSQL database: several would not hear of each other's messages. The lock belongs
// to a session of its own, so that it ends with the server, however that ends.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../log.ts';
import { StartupError } from '../../startup-failure.ts';
import { storageFailure } from '../storage-failure.ts';
import { endWithin, prepareSession, TimedClient } from './postgres-client.ts';

export interface DatabaseLock {
  /** Resolves when another server took the database while this one had lost its session. */
  readonly taken: Promise<void>;
  release(): Promise<void>;
}

/** Any number, as long as all versions of ours use the same. */
const lockNumber = 0x6261636b;
/** The database needs a moment to notice that a server was killed. */
const startTimeoutMs = 3_000;
const retryDelayMs = 200;
const holderName = `
  select application_name as name from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and objid = ${lockNumber} and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Takes the database for this process, and takes it again when the session was lost.
 *
 * @throws {StartupError} when another server has it
 */
export async function lockPostgres(url: string, log: Log): Promise<DatabaseLock> {
  /** By this it knows a session of its own that the database still believes in. */
  const myName = `backchannel ${randomBytes(6).toString('hex')}`;
  const taken = Promise.withResolvers<void>();
  let session: pg.Client | null = null;
  let released = false;

  async function take(): Promise<'mine' | 'not yet' | 'of another'> {
    const client = new TimedClient({ connectionString: url, application_name: myName });
    const lost = () => {
      if (session !== client) return;
      session = null;
      void takeAgain();
    };
    client.on('error', (error) => {
      log.warn('database.lost', { error });
      lost();
    });
    client.on('end', lost);
    try {
      await client.connect();
      await prepareSession(client, false);
      const { rows } = await client.query<{ mine: boolean }>(
        `select pg_try_advisory_lock(${lockNumber}) as mine`,
      );
      if (rows[0]?.mine && !released) session = client;
      if (session === client) return 'mine';
      const [holder] = (await client.query<{ name: string | null }>(holderName)).rows;
      return holder && holder.name !== myName ? 'of another' : 'not yet';
    } catch (error) {
      throw storageFailure(error);
    } finally {
      if (session !== client) void endSession(client).catch(() => {});
    }
  }

  /** The database being away is no answer: nobody else has it then. */
  async function takeAgain(): Promise<void> {
    while (!released) {
      const now = await take().catch(() => 'not yet');
      if (now === 'mine' || released) return;
      if (now === 'of another') return taken.resolve();
      await sleep(retryDelayMs);
    }
  }

  const deadline = performance.now() + startTimeoutMs;
  while ((await take()) !== 'mine') {
    if (performance.now() > deadline) {
      throw new StartupError(
        'another server uses the database of DATABASE_URL. Stop it, or name another database.',
      );
    }
    await sleep(retryDelayMs);
  }
  return {
    taken: taken.promise,
    async release() {
      released = true;
      if (session) await endSession(session);
    },
  };
}

function endSession(client: pg.Client): Promise<void> {
  return endWithin(client.end(), () => [client]);
}
