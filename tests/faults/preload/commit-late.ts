// Runs in the server process: a planted fault. It reports commits that did not happen, so a killed server
// loses acknowledged messages. The checker must find it.
import SQLite from 'better-sqlite3';

const prototype = SQLite.prototype;
const prepare = prototype.prepare;
const exec = prototype.exec;
/** The connections whose open transaction contains pretended commits. */
const pretending = new Set<SQLite.Database>();

/**
 * Runs the statement or pretends to: after a pretended commit, later statements join the same transaction. A
 * rollback is ignored, because it would undo what was reported as committed.
 */
function run(database: SQLite.Database, sql: string): void {
  if (/^\s*commit\b/i.test(sql)) pretending.add(database);
  else if (!pretending.has(database)) exec.call(database, sql);
}

const isEdge = (sql: string) => /^\s*(begin|commit|rollback)\b/i.test(sql);

prototype.prepare = function (this: SQLite.Database, sql: string) {
  if (!isEdge(sql)) return prepare.call(this, sql);
  return {
    reader: false,
    run: () => {
      run(this, sql);
      return { changes: 0, lastInsertRowid: 0 };
    },
    all: () => [],
  };
} as typeof prepare;

prototype.exec = function (this: SQLite.Database, sql: string) {
  if (isEdge(sql)) run(this, sql);
  else exec.call(this, sql);
  return this;
};
