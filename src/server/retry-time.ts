const shortestMs = 1_000;
const maxMs = 10_000;

/**
 * When to try again what could not be saved: about as far ahead as it has been failing already, so
 * that each browser's tries get rarer, and at random, so that they do not all come at once.
 */
export function retryTime(failingMs: number, random = Math.random()): number {
  const ceiling = Math.min(maxMs, Math.max(shortestMs, failingMs));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** As a `Retry-After` header says it. */
export function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}
