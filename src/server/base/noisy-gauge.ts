// A number on /metrics that depends on what people do: rounded, and sometimes late, so that one person's action shows
// neither whether nor when it happened (decision 70).
import { randomInt } from 'node:crypto';

/** All served values change together, at this interval, no matter who reads them and how often. */
export const renewalMs: number = 60_000; // METRIC-8
/** The longest delay, in renewals. */
const maxDelay = 10; // METRIC-9

export interface NoisyGauge {
  /** Call this once per renewal. Returns the number to serve, a multiple of the step. */
  renew(exact: number): number;
}

/**
 * Follows a number that is never negative, in steps.
 *
 * The served number changes only after the exact one has moved away from it by a step and a secret random amount. So
 * someone who knows of every action but one has a chance of one in `step` to see that one, however the others were chosen. If
 * the move took more than one renewal, it appears after a random number of further ones: its moment is not that of the
 * last action. A single busy renewal appears immediately.
 *
 * @param step larger than what one person does within a renewal
 * @param start the exact number at the start of the server
 */
export function createNoisyGauge(step: number, start = 0): NoisyGauge {
  let served = roundAtRandom(start, step);
  let previous = start;
  let threshold = drawThreshold(step);
  let delay = randomInt(maxDelay);

  return {
    renew(exact) {
      const isBusy = Math.abs(exact - previous) >= threshold;
      previous = exact;
      if (Math.abs(exact - served) < threshold) return served;
      if (!isBusy && delay > 0) {
        delay -= 1;
        return served;
      }
      served = roundAtRandom(exact, step);
      threshold = drawThreshold(step);
      delay = randomInt(maxDelay);
      return served;
    },
  };
}

/** Rounds up or down at random, so no one finds the edge of the next step by many actions of their own. */
function roundAtRandom(exact: number, step: number): number {
  return Math.floor(exact / step + drawRandom()) * step;
}

/** A geometric distribution: that nothing has changed yet says nothing about the next action. */
function drawThreshold(step: number): number {
  return step + Math.floor(Math.log(1 - drawRandom()) / Math.log1p(-1 / step));
}

/** Draws a number from 0 up to 1. `Math.random` can be predicted from its earlier values. */
function drawRandom(): number {
  const range = 2 ** 47;
  return randomInt(range) / range;
}
