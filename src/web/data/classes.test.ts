import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { classErrorText } from './classes.ts';

test('the alert for a user in too many classes says what to do, and others stay the same [HTTP-51, JOIN-7, CREATE-12, MOD-49]', () => {
  const otherwise = 'Unable to join class. Please try again.';
  const tooMany = new AppError('TOO_MANY_CLASSES');
  expect(classErrorText(tooMany, otherwise)).toMatch(/at most 200 classes.*leave one/);
  const sanction = { kind: 'removed', until: null, reason: 'Insult' } as const;
  const removed = new AppError('REMOVED_FROM_CLASS', undefined, undefined, sanction);
  expect(classErrorText(removed, otherwise)).toMatch(/removed you.*Insult/);
  expect(classErrorText(new AppError('UNAVAILABLE'), otherwise)).toBe(otherwise);
  expect(classErrorText(new TypeError('Failed to fetch'), otherwise)).toBe(otherwise);
});
