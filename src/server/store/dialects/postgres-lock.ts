// Allows one server per PostgreSQL database, or several nodes: servers without Redis would not receive each other's
// messages. The advisory lock belongs to a separate session, so it ends with the server. Nodes share the lock.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '#server/base/log.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { toStartupError } from '#server/store/storage-errors.ts';
import { fenceLock } from '#server/store/transactions.ts';
import { endOrDestroy, TimedClient } from './postgres-client.ts';
import { rejectSharedSession } from './postgres-pooler.ts';
import { findPostgresProblems, prepareSession } from './postgres-settings.ts';

export interface DatabaseLock {
  /** Resolves if another server takes the lock after this server has lost its session. */
  readonly taken: Promise<void>;
  /** Lets other nodes acquire the lock, too. */
  share(): Promise<void>;
  release(): Promise<void>;
}

const otherServerMessage =
  'another server uses the database of DATABASE_URL. Stop it, or name another database. For several nodes, all of them need REDIS_URL.';
/** What a server says if it cannot acquire the lock. */
const messages = {
  node: 'a server without REDIS_URL, or a command, uses the database of DATABASE_URL alone. Stop it, or wait until it ends.',
  upgrade:
    'this version changes tables that the other nodes use. Stop all nodes, then start one of the new version before the others.',
  server: otherServerMessage,
  command: otherServerMessage,
};

/** An arbitrary number that all versions share. */
const lockNumber = 0x6261636b;
/** PostgreSQL needs time to detect that a server was killed. */
const startTimeoutMs = 3_000;
const retryDelayMs = 200;
const holderName = `
  select application_name as name from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and objid = ${lockNumber} and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Acquires the database lock, and reacquires it if the session is lost.
 *
 * @param use 'server' if it is the only one, 'node' if it is one of several, 'upgrade' for a node that changes tables which no other
 *   node may use meanwhile, 'command' for a program that no commit may disturb
 * @throws {StartupError} if another server holds the lock, a pooler would share it, or PostgreSQL is set up unsafely
 */
export async function lockPostgres(
  url: string,
  log: Log,
  use: 'server' | 'node' | 'upgrade' | 'command',
): Promise<DatabaseLock> {
  let isShared = use === 'node';
  // A server that has lost its session may still commit, but each commit needs the fence, which a command holds.
  const fence = use === 'command' ? ` and pg_try_advisory_lock(${fenceLock})` : '';
  /** Identifies the session that this server has lost, which PostgreSQL may still hold open. */
  const sessionName = `backchannel ${randomBytes(6).toString('hex')}`;
  const takeover = Promise.withResolvers<void>();
  let session: pg.Client | null = null;
  let isReleased = false;

  async function tryLock(): Promise<'acquired' | 'unavailable' | 'held by another'> {
    const client = new TimedClient({ connectionString: url, application_name: sessionName });
    const onSessionLost = () => {
      if (session !== client) return;
      session = null;
      void relock();
    };
    client.on('error', (error) => {
      log.warn('database.lost', { error });
      onSessionLost();
    });
    client.on('end', onSessionLost);
    try {
      await client.connect();
      await prepareSession(client, false);
      await rejectSharedSession(client, url);
      const [problem] = await findPostgresProblems((text) => client.query(text));
      if (problem !== undefined) throw new StartupError(problem);
      const { rows } = await client.query<{ acquired: boolean }>(
        `select pg_try_advisory_lock${isShared ? '_shared' : ''}(${lockNumber})${fence} as acquired`,
      );
      if (rows[0]?.acquired && !isReleased) session = client;
      if (session === client) return 'acquired';
      const [holder] = (await client.query<{ name: string | null }>(holderName)).rows;
      return holder && holder.name !== sessionName ? 'held by another' : 'unavailable';
    } catch (error) {
      throw toStartupError(error);
    } finally {
      if (session !== client) void endSession(client).catch(() => {});
    }
  }

  /** Retries until it is clear whether another server holds the lock. An unreachable database does not tell. */
  async function relock(): Promise<void> {
    while (!isReleased) {
      const outcome = await tryLock().catch(() => 'unavailable');
      if (outcome === 'acquired' || isReleased) return;
      if (outcome === 'held by another') return takeover.resolve();
      await sleep(retryDelayMs);
    }
  }

  const deadline = performance.now() + startTimeoutMs;
  while ((await tryLock()) !== 'acquired') {
    if (performance.now() > deadline) {
      throw new StartupError(messages[use]);
    }
    await sleep(retryDelayMs);
  }
  return {
    taken: takeover.promise,
    async share() {
      if (isShared) return;
      isShared = true;
      await session?.query(
        `select pg_advisory_lock_shared(${lockNumber}), pg_advisory_unlock(${lockNumber})`,
      );
    },
    async release() {
      isReleased = true;
      if (session) await endSession(session);
    },
  };
}

function endSession(client: pg.Client): Promise<void> {
  return endOrDestroy(client.end(), () => [client]);
}
