// Background work at intervals.
/**
 * Runs the task now and at each interval, but never twice at a time.
 *
 * @returns a function that stops it; it resolves when the task does not run
 */
export function startRepeating(task: () => Promise<void>, intervalMs: number): () => Promise<void> {
  let running: Promise<void> | null = null;

  function run(): void {
    running ??= task().finally(() => {
      running = null;
    });
  }

  run();
  const timer = setInterval(run, intervalMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
