import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { QuietTime } from '#contract/quiet-times.ts';
import { createQuietClock } from './quiet-clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-12-01T08:00Z') }));
afterEach(() => void vi.useRealTimers());

const exam: QuietTime = {
  begins: '2026-12-01T10:00',
  ends: '2026-12-01T12:00',
  zone: 'UTC',
  weekly: false,
  sentence: 'The exam is running',
};
const hourMs = 3_600_000;

function start(quietTimes: QuietTime[]) {
  const changes: (string | undefined)[] = [];
  const clock = createQuietClock(Date.now, () => changes.push(clock.current()?.sentence));
  clock.set(quietTimes);
  return { clock, changes };
}

test('a weekly quiet time comes again while the page stays open [CSET-34]', () => {
  const { changes } = start([{ ...exam, weekly: true }]);

  vi.advanceTimersByTime(40 * 24 * hourMs);

  expect(changes).toHaveLength(12);
});

test('a quiet time that is weeks away begins in time, although timers cannot wait so long [CSET-34]', () => {
  const { clock } = start([{ ...exam, begins: '2027-03-01T10:00', ends: '2027-03-01T12:00' }]);

  vi.advanceTimersByTime(Date.parse('2027-03-01T10:00Z') - Date.now() - 1);
  expect(clock.current()).toBeNull();
  vi.advanceTimersByTime(1);

  expect(clock.current()).not.toBeNull();
});
