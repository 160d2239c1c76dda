import { expect, test } from 'vitest';
import { timesContext } from './sealed-times.ts';

test('the texts to which stored times are bound stay as they were [UPGRADE-1]', () => {
  expect(timesContext.enrollment('account', 'class')).toBe('enrolment account class');
});
