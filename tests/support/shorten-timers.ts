// Shortens or holds timers of the server for the tests of one file, which would otherwise wait for them.
import { afterAll, beforeAll, expect } from 'vitest';

/** The interval at which the server polls its queue for mails that another process or a larger change has queued. */
export const mailPollMs = 5_000;

/**
 * Call this before the app starts: intervals of `ms` are intervals of `shorterMs`.
 *
 * @returns a function that resolves when these timers have fired six more times
 */
export function shortenIntervals(ms: number, shorterMs: number): () => Promise<void> {
  let original: typeof setInterval;
  let fired = 0;
  beforeAll(() => {
    original = globalThis.setInterval;
    const setShorterInterval = (callback: () => void, delayMs?: number) => {
      if (delayMs !== ms) return original(callback, delayMs);
      return original(() => {
        fired += 1;
        callback();
      }, shorterMs);
    };
    globalThis.setInterval = setShorterInterval as typeof setInterval;
  });
  afterAll(() => {
    globalThis.setInterval = original;
  });
  return async () => {
    const countBefore = fired;
    await expect.poll(() => fired - countBefore).toBeGreaterThanOrEqual(6);
  };
}

/** Call this before the app starts: timers whose callback has this name fire after `shorterMs`. */
export function shortenTimeouts(callbackName: string, shorterMs: number): void {
  replaceTimeouts(callbackName, (callback, _, start) => start(callback, shorterMs));
}

export interface HeldTimeout {
  delayMs: number;
  fire(): void;
}

/**
 * Call this before the app starts: timers whose callback has this name fire only when the test says so.
 *
 * @returns the timers that have started, oldest first
 */
export function holdTimeouts(callbackName: string): HeldTimeout[] {
  const timeouts: HeldTimeout[] = [];
  replaceTimeouts(callbackName, (fire, delayMs) => timeouts.push({ delayMs, fire }));
  return timeouts;
}

function replaceTimeouts(
  callbackName: string,
  startOther: (callback: () => void, delayMs: number, start: typeof setTimeout) => unknown,
): void {
  let original: typeof setTimeout;
  beforeAll(() => {
    original = globalThis.setTimeout;
    const setOtherTimeout = (
      callback: (...values: unknown[]) => void,
      delayMs = 0,
      ...values: unknown[]
    ) =>
      callback.name === callbackName
        ? startOther(() => callback(...values), delayMs, original)
        : original(callback, delayMs, ...values);
    globalThis.setTimeout = Object.assign(setOtherTimeout, original) as typeof setTimeout;
  });
  afterAll(() => {
    globalThis.setTimeout = original;
  });
}
