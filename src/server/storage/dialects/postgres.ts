import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Log } from '../../log.ts';
import { isConnectionLost } from '../storage-errors.ts';
import { Client, endWithin, prepareSession, TimedClient } from './postgres-client.ts';

/** Counts and seqs are `bigint` columns: as numbers they are exact up to 2^53. */
const int8 = 20;

/** @param limited whether a statement may take only so long: not for migrations and commands */
export function postgresDialect(url: string, log: Log, limited = true): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  // The types of the pool know no client of one's own, and no `onConnect` that is waited for.
  const config: unknown = {
    ...{ connectionString: url, max: 10, types },
    Client: limited ? TimedClient : Client,
    onConnect: (client: pg.ClientBase) => prepareSession(client, limited),
  };
  const pool = new pg.Pool(config as pg.PoolConfig);
  const clients = new Set<pg.Client>();
  /** How to refuse those that wait for a connection. */
  const waiting = new Set<(error: unknown) => void>();

  /** The next connection would fail like this one: waiting requests are not made to find out in turn. */
  function refuseWaiting(error: unknown): void {
    for (const refuse of waiting) refuse(error);
    waiting.clear();
  }

  // A connection that the database ends is replaced; where nobody listens it would end us. Its own
  // listener, for the pool hears of idle ones alone and not of one in the middle of a transaction.
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', (error) => {
      log.warn('database.lost', { error });
      if ((error as NodeJS.ErrnoException).code === 'ETIMEDOUT') refuseWaiting(error);
    });
  });
  pool.on('remove', (client) => clients.delete(client));
  pool.on('error', () => {});

  const timedPool: PostgresPool = {
    options: pool.options,
    connect: () =>
      new Promise<PostgresPoolClient>((resolve, reject) => {
        waiting.add(reject);
        pool.connect().then(
          (client) => {
            if (waiting.delete(reject)) resolve(client);
            else client.release();
          },
          (error: unknown) => {
            waiting.delete(reject);
            reject(error);
            if (isConnectionLost(error)) refuseWaiting(error);
          },
        );
      }),
    end: () => endWithin(pool.end(), () => clients),
  };
  return new PostgresDialect({ pool: timedPool });
}
