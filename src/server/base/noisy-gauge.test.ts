import { describe, expect, test } from 'vitest';
import { createNoisyGauge } from './noisy-gauge.ts';

const step = 10;
/** More than the longest delay. */
const manyRenewals = 12;

/** A number that has moved slowly to 14 and was not served yet, or null if it was. */
function createQuietNumber() {
  const coarse = createNoisyGauge(step);
  for (let exact = 1; exact <= 14; exact++) {
    for (let n = 0; n < manyRenewals; n++) if (coarse.renew(exact) !== 0) return null;
  }
  return coarse;
}

describe('a coarse number', () => {
  test('a coarse number does not show less than a step, however long it waits [METRIC-9]', () => {
    for (let trial = 0; trial < 200; trial++) {
      const coarse = createNoisyGauge(step);
      for (let exact = 0; exact < step; exact++) {
        for (let n = 0; n < manyRenewals; n++) expect(coarse.renew(exact)).toBe(0);
      }
    }
  });

  test('a coarse number shows one more action with a chance of one in a step, also after many actions of one’s own [METRIC-9]', () => {
    let trials = 0;
    let shownCount = 0;
    while (trials < 5000) {
      const coarse = createQuietNumber();
      if (!coarse) continue;
      trials += 1;
      const servedNumbers = Array.from({ length: manyRenewals }, () => coarse.renew(15));
      if (servedNumbers.some((served) => served !== 0)) shownCount += 1;
    }
    expect(shownCount / trials).toBeGreaterThan(0.05);
    expect(shownCount / trials).toBeLessThan(0.15);
  });

  test('a coarse number shows a slow change up to nine renewals late, at random [METRIC-9]', () => {
    const trials = 2000;
    let lateCount = 0;
    for (let trial = 0; trial < trials; trial++) {
      const coarse = createNoisyGauge(step);
      const numberBefore = coarse.renew(1000);
      let renewals = 1;
      // Never a whole step in one renewal, and almost always more than the threshold within seven.
      while (coarse.renew(1000 + 9 * renewals) === numberBefore) renewals += 1;
      expect(renewals).toBeGreaterThan(1);
      if (renewals > 7) lateCount += 1;
    }
    expect(lateCount / trials).toBeGreaterThan(0.2);
    expect(lateCount / trials).toBeLessThan(0.8);
  });

  test('a coarse number follows a busy number at each renewal, up and down, within a step [METRIC-9]', () => {
    const coarse = createNoisyGauge(step);
    for (const exact of [1000, 2000, 2000, 50_000, 3000, 0, 9999]) {
      const served = coarse.renew(exact);
      expect(served % step).toBe(0);
      expect(Math.abs(served - exact)).toBeLessThan(step);
      expect(served).toBeGreaterThanOrEqual(0);
    }
  });

  test('a coarse number of a counter never falls [METRIC-9]', () => {
    for (let trial = 0; trial < 200; trial++) {
      const coarse = createNoisyGauge(step);
      let served = 0;
      let exact = 0;
      for (let n = 0; n < 200; n++) {
        exact += (n * 7) % 13;
        const next = coarse.renew(exact);
        expect(next).toBeGreaterThanOrEqual(served);
        served = next;
      }
      expect(served).toBeGreaterThan(0);
    }
  });

  test('a coarse number rounds at random, so the same actions do not show the same number [METRIC-9]', () => {
    const served = new Set(
      Array.from({ length: 200 }, () => createNoisyGauge(step).renew(100_005)),
    );
    expect(served).toEqual(new Set([100_000, 100_010]));
  });
});
