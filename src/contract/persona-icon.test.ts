import { expect, test } from 'vitest';
import { isIconOf, personaIcon } from './persona-icon.ts';

const me = 'abcdefghijklmnop';

test('is one of those that the member’s own id seeds [PERSONA-16]', () => {
  for (const n of [0, 1, 9, 10, 199]) expect(isIconOf(me, personaIcon(me, n))).toBe(true);
});

test.each([
  'another one’s'.slice(0, 16),
  'bbcdefghijklmnop.1',
  `${me}.0`,
  `${me}.01`,
  `${me}.200`,
  `${me}.-1`,
  `${me}.1.5`,
  `${me}.NaN`,
  `${me}.`,
  `${me}x1`,
  `${me}.1 `,
  '',
])('is never %j [PERSONA-16]', (icon) => {
  expect(isIconOf(me, icon)).toBe(false);
});
