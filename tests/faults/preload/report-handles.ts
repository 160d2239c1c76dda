// Runs in the server process: records the settings of each database connection.
import SQLite from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const folder = process.env['FAULT_REPORTS'];
const handles = new Set<SQLite.Database>();
const prepare = SQLite.prototype.prepare;

SQLite.prototype.prepare = function (this: SQLite.Database, sql: string) {
  handles.add(this);
  return prepare.call(this, sql);
} as typeof prepare;

setInterval(() => {
  const open = [...handles].filter((handle) => handle.open);
  if (open.length === 0) return;
  const report = open.map((handle) => ({
    file: handle.name,
    readonly: handle.readonly,
    synchronous: handle.pragma('synchronous', { simple: true }),
    journal: handle.pragma('journal_mode', { simple: true }),
  }));
  writeFileSync(`${folder}/handles-${threadId}.json`, JSON.stringify(report));
}, 200).unref();
