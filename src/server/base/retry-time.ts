const minMs = 1_000;
const maxMs = 10_000;

/**
 * How long a client waits before it retries a failed write. The delay grows with the length of the outage, up
 * to a maximum. It is random so that clients do not retry together.
 */
export function retryTime(failingMs: number, random = Math.random()): number {
  const ceiling = Math.min(maxMs, Math.max(minMs, failingMs));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** Formats the delay for a `Retry-After` header. */
export function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}
