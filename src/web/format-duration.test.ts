import { expect, test } from 'vitest';
import { formatDuration } from './format-duration.ts';

test.each([
  [0, '1 second'],
  [1000, '1 second'],
  [1001, '2 seconds'],
  [119_000, '119 seconds'],
  [120_000, '2 minutes'],
  [120_001, '3 minutes'],
  [119 * 60_000, '119 minutes'],
  [120 * 60_000, '2 hours'],
  [121 * 60_000, '3 hours'],
])('%i ms are %s [LIMIT-30]', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
