// Background work at intervals.
/**
 * Runs the task now and at each interval, but never twice at a time.
 *
 * @returns a function that stops it; it resolves when the task does not run
 */
export function startRepeating(task: () => Promise<void>, intervalMs: number): () => Promise<void> {
  let currentRun: Promise<void> | null = null;

  function run(): void {
    currentRun ??= task().finally(() => {
      currentRun = null;
    });
  }

  run();
  const timer = setInterval(run, intervalMs);
  return async () => {
    clearInterval(timer);
    await currentRun;
  };
}
