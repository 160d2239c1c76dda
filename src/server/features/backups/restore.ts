// Replaces the database with a backup. The replaced files are kept.
import {
  copyFileSync,
  chmodSync,
  existsSync,
  linkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Log } from '#server/base/log.ts';
import { syncToDisk } from '#server/base/atomic-files.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import { openDatabase } from '#server/store/open-database.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { startNewEpoch } from '#server/store/server-metadata-queries.ts';
import { copyToPostgres, type TransferReport } from './transfer/copy-to-postgres.ts';

/**
 * The folder must be locked. The database gets a new epoch: browsers may hold messages that are newer than
 * the backup, and the server will reuse their seqs.
 *
 * @returns the path of the replaced database, or null if there was none
 * @throws {StartupError} everything is then unchanged
 */
export async function restore(
  backup: string,
  file: string,
  source: Source,
): Promise<string | null> {
  return runOnMigratedCopy(backup, file, { ...source, startEpoch: true }, async (incoming) => {
    syncToDisk(incoming);
    const archivedFile = existsSync(file) ? archiveDatabase(file) : null;
    renameSync(incoming, file);
    syncToDisk(dirname(file));
    return archivedFile;
  });
}

/**
 * Copies the backup into an empty PostgreSQL database, under a new epoch. If it was interrupted, it continues. The folder
 * and the database must be locked.
 *
 * @param file the path of the data folder's own database, next to which the backup is prepared
 * @throws {StartupError}
 */
export async function restoreToPostgres(
  backup: string,
  file: string,
  { url, report, ...source }: Source & PostgresTarget,
): Promise<void> {
  await runOnMigratedCopy(backup, file, { ...source, startEpoch: false }, async (incoming) => {
    // The epoch changes at the end: an interrupted run continues only with the same rows.
    await copyToPostgres({ file: incoming, url, log: source.log, report, startNewEpoch });
  });
}

interface Source {
  keys: ServerKeys;
  log: Log;
  /** Copies the files that belong to the backup. It is called after the backup is checked and before it becomes the database. */
  copyFiles(): void | Promise<void>;
}

interface PostgresTarget {
  url: string;
  report(report: TransferReport): void;
}

/**
 * Migrates a copy of the backup, and passes the path of the copy to `complete`. Deletes the copy afterwards, unless `complete` has
 * moved it.
 */
async function runOnMigratedCopy<Result>(
  backup: string,
  file: string,
  { keys, log, copyFiles, startEpoch }: Source & { startEpoch: boolean },
  complete: (incoming: string) => Promise<Result>,
): Promise<Result> {
  const incoming = toUnfinishedFile(file);
  const remove = () => removeUnfinishedRestore(file);
  remove();
  try {
    copyFileSync(backup, incoming);
    chmodSync(incoming, 0o600);
    checkBackup(incoming, backup);
    // This opens its accounts and migrates the copy, and rejects a backup of a newer version or of another key.
    const database = await openDatabase({ kind: 'sqlite', file: incoming }, keys, log);
    if (startEpoch) await database.db.transaction().execute(startNewEpoch);
    await database.close();
    // SQLite reports no error if it could not write the WAL into the file when it closed.
    if (existsSync(`${incoming}-wal`) && statSync(`${incoming}-wal`).size > 0) {
      throw new StartupError(`${incoming} could not be written completely. Is the disk full?`);
    }
    await copyFiles();
    return await complete(incoming);
  } catch (error) {
    if (!/^(ENOSPC|SQLITE_FULL)/.test(getErrorCode(error))) throw error;
    throw new StartupError(`the disk has no space for ${incoming}. Free some, then try again.`);
  } finally {
    remove();
  }
}

const toUnfinishedFile = (file: string) => `${file}.restoring`;

/**
 * Removes the files that a killed restore left. The folder must be locked.
 *
 * @param file the database of the data folder
 */
export function removeUnfinishedRestore(file: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) {
    rmSync(toUnfinishedFile(file) + part, { force: true });
  }
}

/** @throws {StartupError} */
function checkBackup(copy: string, name: string): void {
  const damageError = new StartupError(`${name} is damaged, or not a backup of Backchannel.`);
  let database: SQLite.Database | null = null;
  try {
    database = new SQLite(copy, { fileMustExist: true });
    const tables = database.prepare("select name from sqlite_schema where type = 'table'");
    const isCurrent = tables.pluck().all().includes('serverMetadata');
    // Before migration 0016 the table had another name.
    const metadata = isCurrent ? 'serverMetadata' : 'facts';
    const isOurs = database.prepare(`select 1 from ${metadata} where name = 'keyCheck'`).get();
    const isIntact = database.pragma('quick_check', { simple: true }) === 'ok';
    if (!isOurs || !isIntact) throw damageError;
  } catch (error) {
    const code = getErrorCode(error);
    throw /^SQLITE_(ERROR|NOTADB|CORRUPT)/.test(code) ? damageError : error;
  } finally {
    database?.close();
  }
}

/**
 * Gives the database a second name, and does not move it: if no database file existed, a server that starts now would create a new
 * one.
 */
function archiveDatabase(file: string): string {
  const archive = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  checkpoint(file);
  const parts = ['', '-wal', '-shm'].filter((part) => existsSync(file + part));
  for (const part of parts) linkSync(file + part, archive + part);
  // SQLite would apply a leftover WAL to the restored database.
  for (const part of parts) if (part !== '') rmSync(file + part);
  return archive;
}

/** Checkpoints the WAL into the database. A damaged database is left as it is. */
function checkpoint(file: string): void {
  try {
    const database = new SQLite(file, { fileMustExist: true });
    database.pragma('wal_checkpoint(truncate)');
    database.close();
  } catch {
    // `archiveDatabase` keeps each file instead.
  }
}
