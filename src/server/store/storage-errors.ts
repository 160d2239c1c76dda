// Classifies the errors of SQLite, PostgreSQL and its client.
import { AppError } from '#contract/errors.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';

/** Converts an error to the one that the caller receives. All other errors go only to the log. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError(isStorageError(error) ? 'UNAVAILABLE' : 'INTERNAL');
}

/** The messages of errors of the PostgreSQL client, which have no code. */
const clientErrors =
  /^(Connection terminated|timeout expired|Client (has encountered a connection error|was closed)|Postgres connection has been discarded)/;

/** Tells whether the connection to PostgreSQL broke or timed out. A commit in flight then has an unknown outcome. */
export function isConnectionLost(error: unknown): boolean {
  // EMAIL_TAKEN has the form of a system error, such as EPIPE.
  if (error instanceof AppError) return false;
  if (/^(57P|08|E[A-Z]{3})/.test(getErrorCode(error))) return true;
  return getErrorCode(error) === '' && error instanceof Error && clientErrors.test(error.message);
}

/**
 * Tells whether PostgreSQL replied that it rejects the statement. After any other error of a commit, the outcome is unknown,
 * because no list of the errors of a lost connection is complete.
 */
export function isRejectedByServer(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  return typeof severity === 'string' && /^(?!08|57P)[0-9A-Z]{5}$/.test(getErrorCode(error));
}

/** Tells whether the disk, the file or the database failed, so that any other statement would fail, too. */
export function isStorageError(error: unknown): boolean {
  const databaseErrors = /^(SQLITE_(?!CONSTRAINT|ERROR)|25006|28|3D|40|53|55P03|55006|57|58)/;
  return databaseErrors.test(getErrorCode(error)) || isConnectionLost(error);
}

/** Tells whether another program holds the lock on the SQLite file, or PostgreSQL detected a deadlock or a conflict. */
export function isTransient(error: unknown): boolean {
  return /^(SQLITE_BUSY|40001$|40P01$)/.test(getErrorCode(error));
}

/** Tells whether another transaction held a lock or a row for too long. */
export const isLockTimeout = (error: unknown): boolean => getErrorCode(error) === '55P03';

/** Tells whether PostgreSQL canceled a statement, because it took too long. */
export const isStatementTimeout = (error: unknown): boolean => getErrorCode(error) === '57014';

/** Tells whether another server has inserted the same row in the meantime, which is possible on PostgreSQL. */
export function isUniqueViolation(error: unknown): boolean {
  return /^(23505$|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$)/.test(getErrorCode(error));
}

/** Converts a known error on opening the database to a StartupError. */
export function toStartupError(error: unknown): unknown {
  const code = getErrorCode(error);
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
  if (code === '42501') {
    return new StartupError(
      'the user of DATABASE_URL lacks a right on that database. Make it the owner: alter database NAME owner to USER.',
    );
  }
  if (code === '3D000') {
    return new StartupError(
      'PostgreSQL has no database of the name in DATABASE_URL. Create it, or correct the name.',
    );
  }
  return error;
}
