import { PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../../log.ts';

/** Counts and seqs are `bigint` columns: as numbers they are exact up to 2^53. */
const int8 = 20;

export function postgresDialect(url: string, log: Log): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({ connectionString: url, max: 10, types });
  // A connection that the database ends is replaced; where nobody listens it would end us. Its own
  // listener, for the pool hears of idle ones alone and not of one in the middle of a transaction.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn('database.lost', { error })),
  );
  pool.on('error', () => {});
  return new PostgresDialect({ pool });
}
