// Notes whether a change has sent statements other than reads. If it has not, its error needs no rollback.
import { AsyncLocalStorage } from 'node:async_hooks';

const currentChange = new AsyncLocalStorage<{ hasWritten: boolean }>();
const readStatement = /^\s*(?:select|show|savepoint|release)\b/i;

/** Notes a statement of the current change. Both engines call it for each statement, also for an insert that is held back. */
export function noteStatement(text: string): void {
  const change = currentChange.getStore();
  if (change && !readStatement.test(text)) change.hasWritten = true;
}

/** Runs held statements of earlier changes, so that they do not count as writes of the current change. */
export function runForOthers<Result>(run: () => Result): Result {
  return currentChange.run({ hasWritten: false }, run);
}

/**
 * @returns the result, or the error with whether the change has written
 */
export async function trackWrites<Result>(
  change: () => Promise<Result>,
): Promise<{ value: Result } | { error: unknown; hasWritten: boolean }> {
  const state = { hasWritten: false };
  try {
    return { value: await currentChange.run(state, change) };
  } catch (error) {
    return { error, hasWritten: state.hasWritten };
  }
}
