// Timers of the server that fire earlier in the tests of one file, which would otherwise wait for them.
import { afterAll, beforeAll } from 'vitest';

/** Call this before the app starts: intervals of `ms` are intervals of `shorterMs`. */
export function shortenIntervals(ms: number, shorterMs: number): void {
  let original: typeof setInterval;
  beforeAll(() => {
    original = globalThis.setInterval;
    const replacement = (callback: () => void, delayMs?: number) =>
      original(callback, delayMs === ms ? shorterMs : delayMs);
    globalThis.setInterval = replacement as typeof setInterval;
  });
  afterAll(() => {
    globalThis.setInterval = original;
  });
}

/** The server polls its queue of mails this often for those that another process or a larger change has queued. */
export const mailPollMs = 5_000;
