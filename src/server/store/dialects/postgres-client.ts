// PostgreSQL connections that time out if the database does not respond.
import type { Socket } from 'node:net';
import pg from 'pg';
import { noteStatement } from '#server/store/written.ts';

const connectTimeoutMs = 2_000;
/** Longer than `statement_timeout` (postgres-settings.ts), so this timeout passes only if PostgreSQL is unreachable. */
const queryTimeoutMs = 4_000;
/** The time of a vacuum, which on a large table takes longer than other statements may. */
export const vacuumTimeoutMs = 10 * 60_000;
const endTimeoutMs = 1_000;

/** Times out if PostgreSQL does not accept the connection. */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig) {
    const connecting = { connectionTimeoutMillis: connectTimeoutMs };
    super({ ...config, ...connecting, keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
    const query = this.query.bind(this) as (...args: unknown[]) => Promise<unknown>;
    const queryAndNote = (...args: unknown[]) => {
      const [text] = args;
      if (typeof text !== 'string') return query(...args);
      noteStatement(text);
      // `begin` with the locks of a commit has a result for each statement: the last one counts.
      if (!text.startsWith('begin;')) return query(...args);
      return query(...args).then((results) =>
        Array.isArray(results) ? (results.at(-1) as unknown) : results,
      );
    };
    this.query = queryAndNote as typeof this.query;
  }
}

/** A client that destroys its connection if a query times out. */
export class TimedClient extends Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => Promise<unknown>;
    const queryWithTimeout = async (...args: unknown[]) => {
      const isVacuum = String(args[0]).startsWith('vacuum ');
      const timeoutMs = isVacuum ? vacuumTimeoutMs + queryTimeoutMs : queryTimeoutMs;
      const timer = setTimeout(() => destroyConnection(this), timeoutMs);
      try {
        return await query(...args);
      } finally {
        clearTimeout(timer);
      }
    };
    this.query = queryWithTimeout as typeof this.query;
  }
}

/** Destroys the connection, so that all its queries fail immediately. */
function destroyConnection(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.destroy(Object.assign(new Error('PostgreSQL does not respond.'), { code: 'ETIMEDOUT' }));
}

/** Ends the connections, and destroys them if PostgreSQL does not respond in time. */
export async function endOrDestroy(
  ending: Promise<void>,
  clients: () => Iterable<pg.Client>,
): Promise<void> {
  const timer = setTimeout(() => {
    for (const client of clients()) destroyConnection(client);
  }, endTimeoutMs);
  await ending.finally(() => clearTimeout(timer));
}
