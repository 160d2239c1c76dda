// Copies the database to a consistent snapshot while the server runs. The copy is an SQLite file for both engines.
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { syncToDisk } from '../atomic-files.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { errorCode, StartupError } from '../startup-failure.ts';
import { openForCommand } from './open-database.ts';
import { toStartupError } from './storage-errors.ts';
import type { TransferReport } from './transfer/copy-to-postgres.ts';
import { copyToSqlite } from './transfer/copy-to-sqlite.ts';

const busyTimeoutMs = 10_000;

/**
 * Reads in one transaction, which does not block writers. Every row of the copy is newly written, so it holds no
 * deleted content. The copy gets its final name when it and everything that belongs to it are complete.
 *
 * @param copy must not exist; the copy is readable by this user only
 * @param copyFiles copies what belongs to the database, after it
 * @throws {StartupError}
 */
export async function backUp(
  database: Config['database'],
  copy: string,
  log: Log,
  report: (report: TransferReport) => void,
  copyFiles: () => void,
): Promise<void> {
  if (database.kind === 'sqlite' && !existsSync(database.file)) {
    throw new StartupError('the data folder holds no database yet.');
  }
  if (existsSync(copy)) throw new StartupError(`${copy} exists already. Name another file.`);
  const unfinished = `${copy}.unfinished`;
  try {
    rmSync(unfinished, { force: true });
    closeSync(openSync(unfinished, 'wx', 0o600));
    if (database.kind === 'sqlite') copyFile(database.file, unfinished);
    else await copyPostgres(database, unfinished, log, report);
    chmodSync(unfinished, 0o600);
    syncToDisk(unfinished);
    copyFiles();
    renameSync(unfinished, copy);
    syncToDisk(dirname(copy));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw backupFailure(error, copy);
  }
}

function copyFile(file: string, copy: string): void {
  const database = new SQLite(file, { readonly: true, timeout: busyTimeoutMs });
  try {
    database.prepare('vacuum into ?').run(copy);
  } finally {
    database.close();
  }
}

async function copyPostgres(
  config: Config['database'],
  copy: string,
  log: Log,
  report: (report: TransferReport) => void,
): Promise<void> {
  const database = await openForCommand(config, log);
  try {
    await copyToSqlite(database, copy, report);
  } finally {
    await database.destroy();
  }
}

function backupFailure(error: unknown, copy: string): unknown {
  const code = errorCode(error);
  if (/^(SQLITE_FULL|ENOSPC)/.test(code)) {
    return new StartupError(`the disk has no space for ${copy}. Choose another disk.`);
  }
  if (/^(ENOENT|ENOTDIR|EACCES|EPERM|EROFS)/.test(code)) {
    return new StartupError(`this user cannot write ${copy}. Choose a folder that this user owns.`);
  }
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new StartupError('the database in the data folder is damaged. Restore an older backup.');
  }
  return toStartupError(error);
}
