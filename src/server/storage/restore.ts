// Replaces the database with a backup. The replaced files are kept.
import { copyFileSync, chmodSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';
import { syncToDisk } from '../sync-to-disk.ts';
import { resetEpoch } from './new-history.ts';
import { openDatabase } from './open-database.ts';

/**
 * The folder must be locked. The database gets a new epoch: browsers may hold messages that are newer than
 * the backup, and the server will reuse their seqs.
 *
 * @param keyCheck the check value of this server's key
 * @returns the path of the replaced database, or null if there was none
 * @throws {StartupError} everything is then unchanged
 */
export async function restore(
  backup: string,
  file: string,
  keyCheck: string,
  log: Log,
): Promise<string | null> {
  const incoming = `${file}.restoring`;
  const remove = () => {
    for (const part of ['', '-wal', '-shm']) rmSync(incoming + part, { force: true });
  };
  remove();
  try {
    copyFileSync(backup, incoming);
    chmodSync(incoming, 0o600);
    checkBackup(incoming, backup);
    // Migrates the backup, and rejects one of a newer version or of another key.
    const { db } = await openDatabase({ kind: 'sqlite', file: incoming }, keyCheck, log);
    await resetEpoch(db);
    await db.destroy();
    syncToDisk(incoming);
    const aside = existsSync(file) ? archiveDatabase(file) : null;
    renameSync(incoming, file);
    syncToDisk(dirname(file));
    return aside;
  } catch (error) {
    remove();
    throw error;
  }
}

/** @throws {StartupError} */
function checkBackup(copy: string, name: string): void {
  const broken = new StartupError(`${name} is damaged, or no backup of Backchannel.`);
  let database: SQLite.Database | null = null;
  try {
    database = new SQLite(copy, { fileMustExist: true });
    const known = database.prepare("select 1 from facts where name = 'keyCheck'").get();
    const sound = database.pragma('quick_check', { simple: true }) === 'ok';
    if (!known || !sound) throw broken;
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code);
    throw /^SQLITE_(ERROR|NOTADB|CORRUPT)/.test(code) ? broken : error;
  } finally {
    database?.close();
  }
}

/** Links instead of moving: without a database file, a server that starts now would create a new one. */
function archiveDatabase(file: string): string {
  const aside = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  bringTogether(file);
  // SQLite would apply a leftover WAL to the restored database.
  for (const part of ['-wal', '-shm']) {
    if (existsSync(file + part)) renameSync(file + part, aside + part);
  }
  linkSync(file, aside);
  return aside;
}

/** Checkpoints the WAL into the database. A damaged database is left as it is. */
function bringTogether(file: string): void {
  try {
    const database = new SQLite(file, { fileMustExist: true });
    database.pragma('wal_checkpoint(truncate)');
    database.close();
  } catch {
    // `archiveDatabase` moves each file instead.
  }
}
