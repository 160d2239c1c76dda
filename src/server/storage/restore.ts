// Puts a backup in the place of the database. Nothing is deleted: what was there is kept aside.
import { copyFileSync, chmodSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';
import { syncToDisk } from '../sync-to-disk.ts';
import { beginNewHistory } from './new-history.ts';
import { openDatabase } from './open-database.ts';

/**
 * The folder must be locked. The database gets a new epoch: browsers may hold later messages than the
 * backup, under seqs that will be given again.
 *
 * @param keyCheck what this server's key makes
 * @returns where the replaced database is, or null when there was none
 * @throws {StartupError} and then all is as it was
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
    // Brings it up to this version, and refuses a newer one's and another key's.
    const { db } = await openDatabase({ kind: 'sqlite', file: incoming }, keyCheck, log);
    await beginNewHistory(db);
    await db.destroy();
    syncToDisk(incoming);
    const aside = existsSync(file) ? keepAside(file) : null;
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

/** At no moment is there no database: a server that starts then would make a new one. */
function keepAside(file: string): string {
  const aside = `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  bringTogether(file);
  // Left beside the backup, it would be taken for the backup's own.
  for (const part of ['-wal', '-shm']) {
    if (existsSync(file + part)) renameSync(file + part, aside + part);
  }
  linkSync(file, aside);
  return aside;
}

/** What is in the -wal file comes into the database. A damaged one stays as it is: the files are kept. */
function bringTogether(file: string): void {
  try {
    const database = new SQLite(file, { fileMustExist: true });
    database.pragma('wal_checkpoint(truncate)');
    database.close();
  } catch {
    // The parts are moved one by one.
  }
}
