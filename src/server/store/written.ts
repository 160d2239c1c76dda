// Notes whether a change has sent statements other than reads. If it has not, its error needs no rollback.
import { AsyncLocalStorage } from 'node:async_hooks';

interface ChangeState {
  hasWritten: boolean;
  /** False if a statement for other changes has failed. */
  isOwn: boolean;
}

const currentChange = new AsyncLocalStorage<ChangeState>();
const readStatement = /^\s*(?:select|show|savepoint|release)\b/i;

/** Notes a statement of the current change. Both engines call it for each statement, also for an insert that is held back. */
export function noteStatement(text: string): void {
  const change = currentChange.getStore();
  if (change && !readStatement.test(text)) change.hasWritten = true;
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
