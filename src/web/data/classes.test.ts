import { expect, test } from 'vitest';
import { RejectedError, createRejectedError } from '#web/rejected-error.ts';
import { toClassErrorText } from './classes.ts';

test('the alert for a user in too many classes says what to do, and others stay the same [HTTP-51, JOIN-7, CREATE-12, MOD-49]', () => {
  const fallbackText = 'Unable to join class. Please try again.';
  const tooMany = new RejectedError(
    'TOO_MANY_CLASSES',
    'You can be in at most 200 classes. Please leave one that you no longer need, then try again.',
  );
  expect(toClassErrorText(tooMany, fallbackText)).toMatch(/at most 200 classes.*leave one/);
  const sanction = { kind: 'removed', until: null, reason: 'Insult' } as const;
  const rejection = new RejectedError(
    'REMOVED_FROM_CLASS',
    'A moderator removed you from this class.',
    undefined,
    sanction,
  );
  expect(toClassErrorText(rejection, fallbackText)).toMatch(/removed you.*Insult/);
  expect(toClassErrorText(createRejectedError('UNAVAILABLE'), fallbackText)).toBe(fallbackText);
  expect(toClassErrorText(new TypeError('Failed to fetch'), fallbackText)).toBe(fallbackText);
});
