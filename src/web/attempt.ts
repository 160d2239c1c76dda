/**
 * Runs what must not stop its caller, such as a check, a hint or a suggestion next to what the member asked for. An
 * exception is reported like every other of the page.
 */
export function attempt<Result>(run: () => Result, fallback: Result): Result {
  try {
    return run();
  } catch (error) {
    // Not now: the report shows a notice, and this may be the render of another component.
    queueMicrotask(() => reportError(error));
    return fallback;
  }
}
