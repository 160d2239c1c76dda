import { StartupError } from '../startup-failure.ts';

/** Converts a known error on opening the database to a StartupError. */
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
  const message = error instanceof Error ? error.message : '';
  if (code === 'ECONNREFUSED') {
    return new StartupError(
      'no PostgreSQL listens where DATABASE_URL points. Start it, or correct the host and port.',
    );
  }
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) {
    return new StartupError('the host in DATABASE_URL is unknown. Correct its name.');
  }
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code) || message === 'timeout expired') {
    return new StartupError(
      'the PostgreSQL of DATABASE_URL does not answer. Check that it runs and that no firewall is in between.',
    );
  }
  if (/^28\w{3}$/.test(code) || message.startsWith('SASL')) {
    return new StartupError(
      'PostgreSQL refuses the user or password of DATABASE_URL. Correct them.',
    );
  }
  if (code === '3D000') {
    return new StartupError(
      'PostgreSQL has no database of the name in DATABASE_URL. Create it, or correct the name.',
    );
  }
  return error;
}
