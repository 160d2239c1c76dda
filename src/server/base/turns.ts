// Splits long work into turns of the event loop, by time: a turn by count is as long as its most expensive item.
import { setImmediate } from 'node:timers/promises';

/** Longer turns would delay the messages of others noticeably. */
const turnMs = 5;

/** @returns a function to call after each small piece of work: it waits for a new turn when this one is used up */
export function createTurns(): () => Promise<void> {
  let startedAt = performance.now();
  return async function takeTurn() {
    if (performance.now() - startedAt < turnMs) return;
    await setImmediate();
    startedAt = performance.now();
  };
}
