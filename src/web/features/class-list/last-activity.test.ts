import { expect, test } from 'vitest';
import { formatTimeOfDay } from '#web/format.ts';
import { formatLastActivity } from './last-activity.tsx';

const noon = new Date('2026-11-27T12:00');
const format = (localTime: string) => formatLastActivity(new Date(localTime).getTime(), noon);

test('the class list has the time of a message of today [LIST-61]', () => {
  expect(format('2026-11-27T00:00')).toBe(formatTimeOfDay(new Date('2026-11-27T00:00').getTime()));
  expect(format('2026-11-27T23:59')).toBe(formatTimeOfDay(new Date('2026-11-27T23:59').getTime()));
});

test.each([
  ['2026-11-26T23:59', 'Thu'],
  ['2026-11-21T00:00', 'Sat'],
  ['2026-11-20T23:59', 'Nov 20'],
  ['2026-10-31T12:00', 'Oct 31'],
])('the class list has the day of a message of %s: %s [LIST-61]', (localTime, text) => {
  expect(format(localTime)).toBe(text);
});
