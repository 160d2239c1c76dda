// Counts what the server asks of SQLite in this process.
import SQLite, { type Statement } from 'better-sqlite3';

export interface SqlWork {
  statements: number;
  /** Rows that SQLite returned. */
  rowsRead: number;
  rowsWritten: number;
  /** Characters of the values that changes have. */
  bytesWritten: number;
  mails: number;
}

export interface SqlCounter {
  /** The work since the start. */
  read(): SqlWork;
  stop(): void;
}

/** Counts the statements that are prepared from now on: call it before the server starts. */
export function countSqlWork(): SqlCounter {
  const work: SqlWork = { statements: 0, rowsRead: 0, rowsWritten: 0, bytesWritten: 0, mails: 0 };
  const original = SQLite.prototype.prepare;

  function count(statement: Statement, sql: string, parameters: readonly unknown[], rows: number) {
    // The order of account rows is erased in the background, for several calls together.
    if (/\b(?:main|temp)\."/.test(sql)) return;
    work.statements += 1;
    if (statement.reader) work.rowsRead += rows;
    if (statement.readonly) return;
    work.rowsWritten += rows;
    work.bytesWritten += JSON.stringify(parameters).length;
    if (sql.startsWith('insert into "outgoingMails"')) work.mails += 1;
  }

  function prepare(this: SQLite.Database, sql: string): Statement {
    const statement = original.call(this, sql) as Statement;
    const { all, run, get, iterate } = statement;
    return Object.assign(statement, {
      all(...parameters: unknown[]) {
        const rows = all.apply(statement, parameters);
        count(statement, sql, parameters, rows.length);
        return rows;
      },
      run(...parameters: unknown[]) {
        const result = run.apply(statement, parameters);
        count(statement, sql, parameters, result.changes);
        return result;
      },
      get(...parameters: unknown[]) {
        const row = get.apply(statement, parameters);
        count(statement, sql, parameters, row === undefined ? 0 : 1);
        return row;
      },
      *iterate(...parameters: unknown[]) {
        for (const row of iterate.apply(statement, parameters)) {
          count(statement, sql, parameters, 1);
          yield row;
        }
      },
    });
  }

  SQLite.prototype.prepare = prepare as typeof original;
  return {
    read: () => ({ ...work }),
    stop() {
      SQLite.prototype.prepare = original;
    },
  };
}
