import { expect, it } from 'vitest';
import { formatTime } from './class-details.ts';

it.each([
  ['00:05', '12:05 AM'],
  ['09:00', '9:00 AM'],
  ['12:00', '12:00 PM'],
  ['23:59', '11:59 PM'],
])('shows %s as %s [SEARCH-4]', (time, text) => {
  expect(formatTime(time)).toBe(text);
});

it('shows no time where there is none [SEARCH-4]', () => {
  expect(formatTime(null)).toBeNull();
  expect(formatTime('soon')).toBeNull();
});
