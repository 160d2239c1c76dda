import { expect, it } from 'vitest';
import { clockTime } from './class-facts.ts';

it.each([
  ['00:05', '12:05 AM'],
  ['09:00', '9:00 AM'],
  ['12:00', '12:00 PM'],
  ['23:59', '11:59 PM'],
])('shows %s as %s [SEARCH-6]', (time, shown) => {
  expect(clockTime(time)).toBe(shown);
});

it('shows no time where there is none [SEARCH-6]', () => {
  expect(clockTime(null)).toBeNull();
  expect(clockTime('soon')).toBeNull();
});
