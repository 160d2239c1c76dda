// Work that must run again after each change, but only once after several of them.
/**
 * Wraps a task that reads the current state, so that it never runs twice at a time. All calls during a run share the next one.
 *
 * @returns a function that resolves when a run is done that began after the call
 */
export function mergeRuns(task: () => Promise<void>): () => Promise<void> {
  let currentRun: Promise<void> = Promise.resolve();
  let nextRun: Promise<void> | null = null;

  async function runNext(): Promise<void> {
    await currentRun;
    nextRun = null;
    const run = task();
    currentRun = run.catch(() => {});
    await run;
  }

  return () => {
    nextRun ??= runNext();
    return nextRun;
  };
}
