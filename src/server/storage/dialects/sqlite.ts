import SQLite, { type Statement } from 'better-sqlite3';
import { SqliteDialect } from 'kysely';

const keptStatements = 500;

/**
 * The one handle on the database file: WAL, every commit synced to the disk before it counts, and
 * deleted content overwritten. It never waits for a lock, for that would stop the whole server.
 */
export function sqliteDialect(file: string): SqliteDialect {
  const database = new SQLite(file, { timeout: 0 });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('secure_delete = ON');
  const statements = new Map<string, Statement>();

  return new SqliteDialect({
    database: {
      close: () => void database.close(),
      prepare(sql) {
        let statement = statements.get(sql);
        if (!statement) {
          statement = database.prepare(sql);
          if (statements.size >= keptStatements) statements.clear();
          statements.set(sql, statement);
        }
        return statement;
      },
    },
  });
}
