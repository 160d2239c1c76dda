// Classifies the errors of SQLite, PostgreSQL and its client.
import { AppError } from '#contract/errors.ts';

/** The error that the caller receives. Errors other than AppError only go to the log. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError(isStorageError(error) ? 'UNAVAILABLE' : 'INTERNAL');
}

/** '' if the error has none. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The client's own errors have no code. */
const clientErrors =
  /^(Connection terminated|timeout expired|Client (has encountered a connection error|was closed)|Postgres connection has been discarded)/;

/** The connection to PostgreSQL broke or timed out. A commit in flight has an unknown outcome. */
export function isConnectionLost(error: unknown): boolean {
  if (/^(57P|08|E[A-Z]{3})/.test(codeOf(error))) return true;
  return codeOf(error) === '' && error instanceof Error && clientErrors.test(error.message);
}

/** The disk, the file or the database failed. Any other statement would fail too. */
export function isStorageError(error: unknown): boolean {
  const ofDatabase = /^(SQLITE_(?!CONSTRAINT|ERROR)|25006|28|3D|40|53|55P03|57)/;
  return ofDatabase.test(codeOf(error)) || isConnectionLost(error);
}

/** Another program holds the lock on the SQLite file, or PostgreSQL detected a deadlock or a conflict. */
export function isTransient(error: unknown): boolean {
  return /^(SQLITE_BUSY|40001$|40P01$)/.test(codeOf(error));
}

/** On PostgreSQL, another server may have inserted the same row in the meantime. */
export function isUniqueViolation(error: unknown): boolean {
  return /^(23505$|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$)/.test(codeOf(error));
}
