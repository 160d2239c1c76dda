// Whether the newest backup in BACKUP_DIR exists, is recent and can be opened.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { BackupConfig } from '#server/config/config-types.ts';
import { isBackupName } from './backup-names.ts';

const hourMs = 60 * 60_000;
/** More than a day, because a backup takes time. */
const maxAgeHours = 26; // METRIC-16

type BackupProblem = 'off' | 'missing' | 'old' | 'unreadable';

/** @returns null if the folder has no backup, or cannot be read */
export function findNewestBackup({ dir }: BackupConfig): { file: string; ageHours: number } | null {
  try {
    const [newest] = readdirSync(dir)
      .filter(isBackupName)
      .map((name) => ({ file: join(dir, name), writtenAt: statSync(join(dir, name)).mtimeMs }))
      .toSorted((a, b) => b.writtenAt - a.writtenAt);
    if (!newest) return null;
    const ageHours = Math.max(0, Math.floor((Date.now() - newest.writtenAt) / hourMs));
    return { file: newest.file, ageHours };
  } catch {
    return null;
  }
}

/** Whole hours since the newest backup; Infinity if there is none, or if the folder cannot be read. */
export const getBackupAgeHours = (backups: BackupConfig): number =>
  findNewestBackup(backups)?.ageHours ?? Infinity;

/** Finds why the newest backup could not be restored, or loses too much. It reads a few pages only. */
export function findBackupProblem(backups: BackupConfig | null): BackupProblem | null {
  if (backups === null) return 'off';
  const newest = findNewestBackup(backups);
  if (newest === null) return 'missing';
  if (newest.ageHours > maxAgeHours) return 'old';
  try {
    readKeyCheck(newest.file);
    return null;
  } catch {
    return 'unreadable';
  }
}

/**
 * Reads the check value of the server key that opens the backup; null in one of an earlier version.
 *
 * @throws if the file is no database, or was cut
 */
export function readKeyCheck(file: string): string | null {
  const database = new SQLite(file, { readonly: true });
  try {
    const getNumber = (name: string) => Number(database.pragma(name, { simple: true }));
    if (getNumber('page_count') * getNumber('page_size') !== statSync(file).size) {
      throw new Error(`${file} was cut.`);
    }
    const find = database.prepare(`select value from "serverMetadata" where name = 'keyCheck'`);
    return (find.pluck().get() as string | undefined) ?? null;
  } finally {
    database.close();
  }
}

/** Reads the whole backup, as opposed to `findBackupProblem`. */
export function isBackupIntact(file: string): boolean {
  const database = new SQLite(file, { readonly: true });
  try {
    return database.pragma('quick_check', { simple: true }) === 'ok';
  } catch {
    return false;
  } finally {
    database.close();
  }
}
