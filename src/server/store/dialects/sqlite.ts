import SQLite, { type Statement } from 'better-sqlite3';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import type { InProcessEngine } from '#server/store/prepare-query.ts';
import { noteStatement } from '#server/store/written.ts';

const maxCachedStatements = 500;

/**
 * Opens the server's only handle on the database file, with WAL, a disk sync for each commit, and `secure_delete`.
 *
 * @param busyTimeoutMs how long to wait for another program's lock; 0 for a server, because waiting blocks it
 */
export function openSqlite(file: string, busyTimeoutMs = 0): SQLite.Database {
  const database = new SQLite(file, { timeout: busyTimeoutMs });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('secure_delete = ON');
  // The server empties the WAL itself: an automatic checkpoint would hide which pages have changed.
  database.pragma('wal_autocheckpoint = 0');
  return database;
}

export function createSqliteDialect(database: SQLite.Database): SqliteDialect {
  const statements = new LRUCache<string, Statement>({ max: maxCachedStatements });

  function prepare(sql: string): Statement {
    noteStatement(sql);
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  class Adapter extends SqliteAdapter implements InProcessEngine {
    /** All migrations run in one transaction, so that a killed migration leaves the database as it was. */
    override get supportsTransactionalDdl(): boolean {
      return true;
    }

    runNow(sql: string, parameters: readonly unknown[], inTransaction: boolean): unknown[] | null {
      // There is one handle, so a query outside the open transaction would see its uncommitted changes.
      if (database.inTransaction !== inTransaction) return null;
      const statement = prepare(sql);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    }
  }

  const config = { database: { close: () => void database.close(), prepare } };

  class Driver extends SqliteDriver {
    /** Takes the write lock at the start, because an upgrade after a read can fail permanently (SQLITE_BUSY_SNAPSHOT). */
    override async beginTransaction(connection: DatabaseConnection): Promise<void> {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    }

    /** Skips the rollback if SQLite has already rolled back, as it does on a full disk: a second one would hide that error. */
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
