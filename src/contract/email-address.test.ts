import { expect, test } from 'vitest';
import { isUniversityEmail } from './email-address.ts';

test.each([
  ['ada@kings.edu', true],
  ['Ada.L+notes@KINGS.edu', true],
  // The Kelvin sign, which is a k in lower case; a long s, which is an S in upper case.
  ['ada@\u212Aings.edu', false],
  ['ada@king\u017F.edu', false],
  // A Cyrillic letter, a full-width one, a dot of another script, a zero-width space.
  ['ada@k\u0456ngs.edu', false],
  ['ada@\uFF4Bings.edu', false],
  ['ada@kings\u3002edu', false],
  ['ada@kings.edu\u200B', false],
  ['\u0430da@kings.edu', false],
  ['ada@kings.edu ', false],
  ['ada@xn--ings-7na.edu', false],
])('%j is an address of kings.edu: %j [AUTH-51, AUTH-6]', (email, ours) => {
  expect(isUniversityEmail(email, 'kings.edu')).toBe(ours);
});
