// Runs inside the server: a planted fault. Commits are said to be done and are not, so that a server that
// is killed loses what it acknowledged. The checker must find it.
import SQLite from 'better-sqlite3';

const prototype = SQLite.prototype;
const prepare = prototype.prepare;
const exec = prototype.exec;
/** Whose open transaction holds commits that were pretended. */
const pretending = new Set<SQLite.Database>();

/**
 * Runs it, or pretends to: what begins after a pretended commit joins it, and what is taken back is
 * not, for that would take back what was said to be committed.
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
