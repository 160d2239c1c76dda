import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Log } from '#server/base/log.ts';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { isConnectionLost } from '#server/store/storage-errors.ts';
import { Client, endOrDestroy } from './postgres-client.ts';
import { HoldingClient } from './postgres-held-inserts.ts';
import { prepareSession } from './postgres-settings.ts';

/** PostgreSQL's type id of `bigint`. Counts and seqs stay below 2^53, so they fit into a JavaScript number. */
const bigintTypeId = 20;

const maxConnections = 10;

/** @param hasTimeouts whether statements have a timeout and inserts are grouped; false for migrations and commands */
export function createPostgresDialect(
  url: string,
  log: Log,
  hasTimeouts = true,
  max = maxConnections,
): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(bigintTypeId, Number);
  // The pool's types lack a custom client and an awaited `onConnect`.
  const config: unknown = {
    connectionString: url,
    max,
    types,
    Client: hasTimeouts ? HoldingClient : Client,
    onConnect: (client: pg.ClientBase) => prepareSession(client, hasTimeouts),
  };
  const pool = new pg.Pool(config as pg.PoolConfig);
  const clients = new Set<pg.Client>();
  /** Rejects the requests that wait for a connection. */
  const waitingRequests = new Set<(error: unknown) => void>();

  /** Rejects all waiting requests, because the next connection would fail in the same way. */
  function rejectWaiting(error: unknown): void {
    for (const reject of waitingRequests) reject(error);
    waitingRequests.clear();
  }

  // The pool replaces a connection that the database ends. Without this listener its error would crash the
  // server, because the pool listens only to idle connections.
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', (error) => {
      log.warn('database.lost', { error });
      if (getErrorCode(error) === 'ETIMEDOUT') rejectWaiting(error);
    });
  });
  pool.on('remove', (client) => clients.delete(client));
  // The error of an idle connection, which the pool replaces.
  pool.on('error', () => {});

  /** A pool that rejects all waiting requests if the database cannot be reached. */
  const timedPool: PostgresPool = {
    options: pool.options,
    connect: () =>
      new Promise<PostgresPoolClient>((resolve, reject) => {
        waitingRequests.add(reject);
        pool.connect().then(
          (client) => {
            if (waitingRequests.delete(reject)) resolve(client);
            else client.release();
          },
          (error: unknown) => {
            waitingRequests.delete(reject);
            reject(error);
            if (isConnectionLost(error)) rejectWaiting(error);
          },
        );
      }),
    end: () => endOrDestroy(pool.end(), () => clients),
  };
  return new PostgresDialect({ pool: timedPool });
}
