// Whether a change has sent more than reads: if not, its error costs no rollback.
import { AsyncLocalStorage } from 'node:async_hooks';

const currentChange = new AsyncLocalStorage<{ hasWritten: boolean }>();
const readStatement = /^\s*(?:select|show|savepoint|release)\b/i;

/** Both engines report each statement, also one that is held back. */
export function noteStatement(text: string): void {
  const change = currentChange.getStore();
  if (change && !readStatement.test(text)) change.hasWritten = true;
}

/** Runs statements of earlier changes, which were held back, within the current one. */
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
