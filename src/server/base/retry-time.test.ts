import { expect, test } from 'vitest';
import { retryTime } from './retry-time.ts';

test('grows with the time that nothing could be saved, up to ten seconds, at random [LOG-17]', () => {
  expect([0, 1_000, 4_000, 60_000].map((failing) => retryTime(failing, 1))).toEqual([
    1_000, 1_000, 4_000, 10_000,
  ]);
  expect([0, 4_000, 60_000].map((failing) => retryTime(failing, 0))).toEqual([500, 2_000, 5_000]);
});
