// What the errors of SQLite, PostgreSQL and its client mean.
import { AppError } from '#contract/errors.ts';

/** What a caller is told of it. Errors other than refusals are for the log alone. */
export function toRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError(isStorageError(error) ? 'UNAVAILABLE' : 'INTERNAL');
}

/** '' if the error has none. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The client gives no code to errors of its own. */
const clientErrors =
  /^(Connection terminated|timeout expired|Client (has encountered a connection error|was closed)|Postgres connection has been discarded)/;

/** The connection to PostgreSQL broke or timed out. A transaction that was being committed may be committed. */
export function isConnectionLost(error: unknown): boolean {
  if (/^(57P|08|E[A-Z]{3})/.test(codeOf(error))) return true;
  return codeOf(error) === '' && error instanceof Error && clientErrors.test(error.message);
}

/** The disk, the file or the database fails. The statement is not at fault: any other would fail alike. */
export function isStorageError(error: unknown): boolean {
  const ofDatabase = /^(SQLITE_(?!CONSTRAINT|ERROR)|25006|28|3D|40|53|55P03|57)/;
  return ofDatabase.test(codeOf(error)) || isConnectionLost(error);
}

/**
 * Another program is in the way for a moment: it holds SQLite's file, or its transaction and ours on
 * PostgreSQL wait for each other.
 */
export function isTransient(error: unknown): boolean {
  return /^(SQLITE_BUSY|40001$|40P01$)/.test(codeOf(error));
}

/** On PostgreSQL also if another server has just written the row that a change adds. */
export function isUniqueViolation(error: unknown): boolean {
  return /^(23505$|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$)/.test(codeOf(error));
}
