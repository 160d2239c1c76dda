import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { StartupError } from '../startup-failure.ts';

/**
 * Makes the data folder and holds it for this process: one server per folder. The lock is SQLite's
 * own on an empty file, so the system lets go of it however the process ends, which a pid file does not.
 *
 * @returns how to let go
 * @throws {StartupError}
 */
export function lockFolder(dataDir: string): () => void {
  try {
    makeFolder(dataDir);
    const lock = new SQLite(join(dataDir, 'server.lock'), { timeout: 0 });
    // A write inside: a file that may only be read is opened without a word, and locks nobody out.
    lock.exec('BEGIN EXCLUSIVE; PRAGMA user_version = 1');
    return () => lock.close();
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') {
      throw new StartupError(
        'another server uses this data folder. Stop it, or set DATA_DIR to another folder.',
      );
    }
    throw new StartupError(
      `the data folder ${dataDir} cannot be written by this user. Set DATA_DIR to one that can.`,
    );
  }
}

/** Node's own recursive mkdir never returns where a file system, such as /proc, takes no folders. */
function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
    makeFolder(dirname(dir));
    mkdirSync(dir, { mode: 0o700 });
  }
}
