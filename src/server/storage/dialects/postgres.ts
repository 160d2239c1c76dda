import { PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../../log.ts';

/** Counts and seqs are `bigint` columns: as numbers they are exact up to 2^53. */
const int8 = 20;

export function postgresDialect(url: string, log: Log): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  const pool = new pg.Pool({ connectionString: url, max: 10, types });
  // An idle connection that the database ends is replaced; without a listener it would end us.
  pool.on('error', (error) => log.warn('database.lost', { error }));
  return new PostgresDialect({ pool });
}
