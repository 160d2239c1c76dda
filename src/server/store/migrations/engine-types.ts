// What the two engines call the same thing in a migration.
import type { RawBuilder } from 'kysely';

export interface EngineTypes {
  date: 'text' | 'timestamptz';
  boolean: 'integer' | 'boolean';
  binary: 'blob' | 'bytea';
  /** Follows the columns. Without a rowid, SQLite stores no insertion order in the table. */
  unordered: RawBuilder<unknown>;
  /** Follows the columns of a table of few rows. PostgreSQL leaves space on their page, so that updates change no index. */
  oftenUpdated: RawBuilder<unknown>;
}
