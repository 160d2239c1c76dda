// Copies the database to a consistent snapshot while the server runs. The copy is an SQLite file for both engines.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { syncToDisk } from '#server/base/atomic-files.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import { lockFile } from '#server/store/folder-lock.ts';
import { openForCommand } from '#server/store/open-database.ts';
import { toStartupError } from '#server/store/storage-errors.ts';
import type { TransferReport } from './transfer/copy-to-postgres.ts';
import { copyToSqlite } from './transfer/copy-to-sqlite.ts';

const busyTimeoutMs = 10_000;
/** If rows are added and deleted during a copy, its counts can look wrong, so the copy is repeated. */
const maxAttempts = 3;

/**
 * Copies the database in one transaction, which does not block writers. The copy contains no deleted content, because all of its
 * rows are newly written. The copy gets its final name when it is complete, together with the files that belong to it.
 *
 * @param copy the path of the copy, which must not exist; only this user can read the copy
 * @param copyFiles copies the files that belong to the database, after the database
 * @param seal encrypts what names an account in the copy of an earlier version; null for a database of this version
 * @throws {StartupError}
 */
export async function backUp(
  database: Config['database'],
  copy: string,
  log: Log,
  report: (report: TransferReport) => void,
  copyFiles: () => void | Promise<void>,
  seal: ((file: string) => void) | null = null,
): Promise<void> {
  if (database.kind === 'sqlite' && !existsSync(database.file)) {
    throw new StartupError('the data folder holds no database yet.');
  }
  const unfinished = `${copy}.unfinished`;
  let unlock: (() => void) | null = null;
  try {
    unlock = lockUnfinished(copy);
    if (existsSync(copy)) throw new StartupError(`${copy} exists already. Name another file.`);
    removeUnfinished(copy);
    closeSync(openSync(unfinished, 'wx', 0o600));
    if (database.kind === 'sqlite') copyFile(database.file, unfinished);
    else await copyPostgres(database, unfinished, log, report, seal === null ? 'current' : 'any');
    seal?.(unfinished);
    checkIntact(unfinished);
    chmodSync(unfinished, 0o600);
    syncToDisk(unfinished);
    await copyFiles();
    renameSync(unfinished, copy);
    syncToDisk(dirname(copy));
  } catch (error) {
    if (unlock) removeUnfinished(copy);
    throw toBackupFailure(error, copy);
  } finally {
    unlock?.();
  }
}

/** Removes an unfinished copy, with the journal that SQLite leaves if the disk is full. */
function removeUnfinished(copy: string): void {
  for (const part of ['', '-journal', '.unsorted', '.unsorted-journal']) {
    rmSync(`${copy}.unfinished${part}`, { force: true });
  }
}

const toLockFile = (copy: string) => `${copy}.unfinished.lock`;

/**
 * Locks the name, because two backups with the same name would write to the same file. If the process is killed, the file of the
 * lock stays.
 *
 * @throws {StartupError}
 */
function lockUnfinished(copy: string): () => void {
  // If the folder does not exist, this error is clearer than that of SQLite.
  accessSync(dirname(copy), constants.W_OK);
  try {
    const unlock = lockFile(toLockFile(copy));
    return () => {
      rmSync(toLockFile(copy), { force: true });
      unlock();
    };
  } catch (error) {
    if (getErrorCode(error) !== 'SQLITE_BUSY') throw error;
    throw new StartupError(`another process makes ${copy}. Name another file.`);
  }
}

/**
 * Removes the files that killed backups left in the folder, because these files can contain the whole database.
 *
 * @param companionSuffixes the suffixes of the files and folders that belong to a backup
 */
export function removeAbandonedBackups(dir: string, companionSuffixes: readonly string[]): void {
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const copy = join(dir, name.replace(/\.unfinished\.lock$/, ''));
    if (join(dir, name) !== toLockFile(copy)) continue;
    try {
      const unlock = lockUnfinished(copy);
      removeUnfinished(copy);
      if (!existsSync(copy)) {
        for (const suffix of companionSuffixes) {
          rmSync(copy + suffix, { force: true, recursive: true });
        }
      }
      unlock();
    } catch {
      // Another process is making the backup, or this user is not allowed to delete its files.
    }
  }
}

function copyFile(file: string, copy: string): void {
  const database = new SQLite(file, { readonly: true, timeout: busyTimeoutMs });
  try {
    for (let attempt = 1; ; attempt++) {
      const countsBefore = countRows(database);
      database.prepare('vacuum into ?').run(copy);
      if (isBetween(countFileRows(copy), countsBefore, countRows(database))) return;
      if (attempt === maxAttempts) {
        throw new StartupError(
          'the copy has other numbers of rows than the database. Check the disk, then try again.',
        );
      }
      truncateSync(copy);
    }
  } finally {
    database.close();
  }
}

/** The number of rows of each table. */
export type RowCounts = ReadonlyMap<string, number>;

function countRows(database: SQLite.Database): RowCounts {
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    .pluck()
    .all() as string[];
  return new Map(
    names.map((name) => {
      return [name, database.prepare(`select count(*) from "${name}"`).pluck().get() as number];
    }),
  );
}

/** Counts the rows of each table of a file. */
export function countFileRows(file: string): RowCounts {
  const database = new SQLite(file, { readonly: true });
  try {
    return countRows(database);
  } finally {
    database.close();
  }
}

/** Whether each count lies between the counts before and after the copy. The server may write during the copy. */
function isBetween(counts: RowCounts, countsBefore: RowCounts, countsAfter: RowCounts): boolean {
  return (
    counts.size === countsBefore.size &&
    [...counts].every(([name, count]) => {
      const limits = [countsBefore.get(name) ?? -1, countsAfter.get(name) ?? -1];
      return count >= Math.min(...limits) && count <= Math.max(...limits);
    })
  );
}

/** @throws {StartupError} */
function checkIntact(copy: string): void {
  const database = new SQLite(copy, { readonly: true });
  try {
    if (database.pragma('quick_check', { simple: true }) === 'ok') return;
  } finally {
    database.close();
  }
  throw new StartupError('the copy is damaged. Check the disk, then try again.');
}

async function copyPostgres(
  config: Config['database'],
  copy: string,
  log: Log,
  report: (report: TransferReport) => void,
  version: 'current' | 'any',
): Promise<void> {
  await using database = await openForCommand(config, log, { version });
  await copyToSqlite(database, copy, report);
}

function toBackupFailure(error: unknown, copy: string): unknown {
  const code = getErrorCode(error);
  if (/^(SQLITE_FULL|ENOSPC)/.test(code)) {
    return new StartupError(`the disk has no space for ${copy}. Choose another disk.`);
  }
  if (/^(ENOENT|ENOTDIR|EACCES|EPERM|EROFS|SQLITE_CANTOPEN|SQLITE_READONLY)/.test(code)) {
    return new StartupError(`this user cannot write ${copy}. Choose a folder that this user owns.`);
  }
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new StartupError('the database in the data folder is damaged. Restore an older backup.');
  }
  return toStartupError(error);
}
