// Notes what a change writes: whether it needs a rollback after an error, and on which side of the database.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tables } from './tables.ts';

/**
 * Accounts with their sessions are one side of the database, and everything of classes is the other. On PostgreSQL, rows show which
 * of them one transaction wrote, so a transaction that wrote both sides would pair an account with a class.
 */
export type Side = 'accounts' | 'classes';

const accountTables: readonly (keyof Tables)[] = ['accounts', 'sessions'];
/** Transactions of both sides write these. Their rows name no one, or are all written together. */
const sharedTables: readonly (keyof Tables)[] = [
  'auditLog',
  'blockedAddresses',
  'changeEvents',
  'commitReceipts',
  'leases',
  'outgoingMails',
  'serverMetadata',
  'suspensions',
];
const sidesByTable = new Map<string, Side | null>([
  ...accountTables.map((table) => [table, 'accounts'] as const),
  ...sharedTables.map((table) => [table, null] as const),
]);

interface ChangeState {
  hasWritten: boolean;
  /** False if a statement for other changes has failed. */
  isOwn: boolean;
}

const currentChange = new AsyncLocalStorage<ChangeState>();
const currentSide = new AsyncLocalStorage<{ side: Side | null }>();
const writtenTable = /\b(?:insert into|update|delete from)\s+"?(\w+)/i;
const readStatement = /^\s*(?:select|show|savepoint|release)\b/i;

/**
 * Notes a statement of the current change. Both engines call it for each statement, also for an insert that is held back.
 *
 * @throws {Error} if it writes the other side of the database
 */
export function noteStatement(text: string): void {
  if (readStatement.test(text)) return;
  const change = currentChange.getStore();
  if (change) change.hasWritten = true;
  const transaction = currentSide.getStore();
  const [, table] = (transaction && writtenTable.exec(text)) ?? [];
  if (!transaction || table === undefined) return;
  const side = sidesByTable.has(table) ? (sidesByTable.get(table) ?? null) : 'classes';
  if (side === null) return;
  transaction.side ??= side;
  if (transaction.side !== side) {
    throw new Error(`A transaction about ${transaction.side} must not write ${table}.`);
  }
}

/** @param side null if the first statement decides it */
export function runOnSide<Result>(side: Side | null, run: () => Promise<Result>): Promise<Result> {
  return currentSide.run({ side }, run);
}

/** Runs held statements of earlier changes, so that neither their writes nor their errors are those of the current change. */
export async function runForOthers<Result>(run: () => Promise<Result>): Promise<Result> {
  const change = currentChange.getStore();
  try {
    return await currentChange.run({ hasWritten: false, isOwn: true }, run);
  } catch (error) {
    if (change) change.isOwn = false;
    throw error;
  }
}

/**
 * @returns the result, or the error with whether the change has written, and whether the error is that of its own statement
 */
export async function trackWrites<Result>(
  change: () => Promise<Result>,
): Promise<{ value: Result } | ({ error: unknown } & ChangeState)> {
  const state = { hasWritten: false, isOwn: true };
  try {
    return { value: await currentChange.run(state, change) };
  } catch (error) {
    return { error, ...state };
  }
}
