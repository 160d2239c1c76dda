import { PostgresDialect } from 'kysely';
import pg from 'pg';

/** Counts and seqs are `bigint` columns: as numbers they are exact up to 2^53. */
const int8 = 20;

export function postgresDialect(url: string): PostgresDialect {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 10, types }) });
}
