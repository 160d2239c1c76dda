import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';

/**
 * Creates the data folder and locks it, because only one server may use a folder. The lock is an SQLite lock on an empty file,
 * so the operating system releases it if the process dies. A pid file would stay.
 *
 * @returns a function that releases the lock
 * @throws {StartupError}
 */
export function lockFolder(dataDir: string): () => void {
  try {
    makeFolder(dataDir);
    return lockFile(join(dataDir, 'server.lock'));
  } catch (error) {
    if (getErrorCode(error) === 'SQLITE_BUSY') {
      throw new StartupError(
        'another server uses this data folder. Stop it, or set DATA_DIR to another folder.',
      );
    }
    throw new StartupError(
      `the data folder ${dataDir} cannot be written by this user. Set DATA_DIR to one that can.`,
    );
  }
}

/** @throws an error with the code SQLITE_BUSY if another process has the lock */
export function lockFile(file: string): () => void {
  const lock = new SQLite(file, { timeout: 0 });
  // The write fails on a read-only file, which SQLite would open without an error and without a lock.
  lock.exec('BEGIN EXCLUSIVE; PRAGMA user_version = 1');
  return () => lock.close();
}

/** Node's recursive mkdir never returns on file systems that reject folders, such as /proc. */
function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
    makeFolder(dirname(dir));
    mkdirSync(dir, { mode: 0o700 });
  }
}
