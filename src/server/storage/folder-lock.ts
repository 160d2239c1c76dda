import SQLite from 'better-sqlite3';
import { join } from 'node:path';

/**
 * Holds the data folder for this process: one server per folder. The lock is SQLite's own on an
 * empty file, so the system lets go of it however the process ends, which a pid file does not.
 *
 * @returns how to let go
 * @throws an error with the code SQLITE_BUSY while another server holds it
 */
export function lockFolder(dataDir: string): () => void {
  const lock = new SQLite(join(dataDir, 'server.lock'), { timeout: 0 });
  lock.exec('BEGIN EXCLUSIVE');
  return () => lock.close();
}
