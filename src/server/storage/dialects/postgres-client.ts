// Connections to PostgreSQL that give up on a database which does not answer.
import type { Socket } from 'node:net';
import pg from 'pg';

const connectTimeoutMs = 2_000;
const statementTimeoutMs = 3_000;
/** Longer than PostgreSQL's own limit: past it nothing is heard from PostgreSQL at all. */
const queryTimeoutMs = 4_000;
const endTimeoutMs = 1_000;
/** PostgreSQL frees what a transaction holds if its server's end of the connection was lost. */
const idleInTransactionMs = 10_000;

/** PostgreSQL notices after half a minute that this end of the connection is gone. */
const keepAlive =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4;';
const limits = `set statement_timeout = ${statementTimeoutMs};
  set idle_in_transaction_session_timeout = ${idleInTransactionMs};`;

/** Not sent while connecting: pgbouncer refuses settings there. */
export async function prepareSession(client: pg.ClientBase, limited: boolean): Promise<void> {
  await client.query(limited ? keepAlive + limits : keepAlive);
}

/** Gives up if PostgreSQL does not accept the connection in time. */
export class Client extends pg.Client {
  constructor(config: pg.ClientConfig) {
    const connecting = { connectionTimeoutMillis: connectTimeoutMs };
    super({ ...config, ...connecting, keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
  }
}

/** Also breaks the connection off if PostgreSQL does not answer a query in time. */
export class TimedClient extends Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => Promise<unknown>;
    const timedQuery = async (...args: unknown[]) => {
      const timer = setTimeout(() => breakOff(this), queryTimeoutMs);
      try {
        return await query(...args);
      } finally {
        clearTimeout(timer);
      }
    };
    this.query = timedQuery as typeof this.query;
  }
}

/** The connection's queries fail; nothing is waited for. */
function breakOff(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.destroy(Object.assign(new Error('PostgreSQL does not answer.'), { code: 'ETIMEDOUT' }));
}

/** Says goodbye, but does not wait long for the answer. */
export async function endWithin(
  ending: Promise<void>,
  clients: () => Iterable<pg.Client>,
): Promise<void> {
  const timer = setTimeout(() => {
    for (const client of clients()) breakOff(client);
  }, endTimeoutMs);
  await ending.finally(() => clearTimeout(timer));
}
