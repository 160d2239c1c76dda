// A process that holds a database's write lock for a while: `hold-lock.ts FILE MILLISECONDS`.
import SQLite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';

const [file, milliseconds] = process.argv.slice(2);
const database = new SQLite(file, { fileMustExist: true, timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
await sleep(Number(milliseconds));
database.exec('ROLLBACK');
database.close();
