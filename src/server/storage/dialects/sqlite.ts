import SQLite, { type Statement } from 'better-sqlite3';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
} from 'kysely';
import type { InProcessEngine } from '../prepared.ts';

const maxCachedStatements = 500;

/**
 * The one handle on the database file: WAL, every commit synced to the disk before it counts, and
 * deleted content overwritten.
 *
 * @param waitMs for another program's lock; a server never waits, for that would stop all of it
 */
export function openSqlite(file: string, waitMs = 0): SQLite.Database {
  const database = new SQLite(file, { timeout: waitMs });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('secure_delete = ON');
  return database;
}

export function sqliteDialect(database: SQLite.Database): SqliteDialect {
  const statements = new Map<string, Statement>();

  function prepare(sql: string): Statement {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      if (statements.size >= maxCachedStatements) statements.clear();
      statements.set(sql, statement);
    }
    return statement;
  }

  class Adapter extends SqliteAdapter implements InProcessEngine {
    runNow(sql: string, parameters: readonly unknown[], inTransaction: boolean): unknown[] | null {
      // There is one handle: what is no part of the open transaction would see it half done.
      if (database.inTransaction !== inTransaction) return null;
      const statement = prepare(sql);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    }
  }

  const config = { database: { close: () => void database.close(), prepare } };

  class Driver extends SqliteDriver {
    /** Takes the write lock first: after a read it may be refused for good (SQLITE_BUSY_SNAPSHOT). */
    override async beginTransaction(connection: DatabaseConnection): Promise<void> {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    }

    /** SQLite ends the transaction itself if the disk is full; to do it again would hide that error. */
    override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      if (database.inTransaction) await super.rollbackTransaction(connection);
    }
  }

  class Dialect extends SqliteDialect {
    override createAdapter(): SqliteAdapter {
      return new Adapter();
    }
    override createDriver(): SqliteDriver {
      return new Driver(config);
    }
  }

  return new Dialect(config);
}
