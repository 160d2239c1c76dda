import SQLite from 'better-sqlite3';
import { SqliteDialect } from 'kysely';

/**
 * The one handle on the database file: WAL, every commit synced to the disk before it counts, and
 * deleted content overwritten.
 */
export function sqliteDialect(file: string): SqliteDialect {
  const database = new SQLite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('secure_delete = ON');
  database.pragma('busy_timeout = 5000');
  return new SqliteDialect({ database });
}
