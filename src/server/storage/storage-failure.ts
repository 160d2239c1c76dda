import { StartupError } from '../startup-failure.ts';

/** Why the database could not be opened, in words where we know some. */
export function storageFailure(error: unknown): unknown {
  const code = String((error as { code?: unknown } | null)?.code);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new StartupError('the database in the data folder is damaged. Restore a backup of it.');
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code)) {
    return new StartupError('the database in the data folder cannot be written by this user.');
  }
  if (/^SQLITE_FULL|^SQLITE_IOERR|^ENOSPC/.test(code)) {
    return new StartupError('the disk with the data folder is full or failing.');
  }
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|28\w{3}|3D000)$/.test(code)) {
    return new StartupError('the database of DATABASE_URL does not answer to this user and name.');
  }
  return error;
}
