/**
 * Runs a function whose failure must not stop its caller, such as a check, a hint or a listener. An exception is
 * reported like every other exception of the page.
 */
export function attempt<Result>(run: () => Result, fallback: Result): Result {
  try {
    return run();
  } catch (error) {
    // The report shows a notice, which React forbids while another component renders. So it comes later.
    queueMicrotask(() => reportError(error));
    return fallback;
  }
}
