import { expect, it } from 'vitest';
import { toSchoolKey } from '#contract/school-key.ts';
import { toCustomProperty } from './school-theme.ts';

it.each([
  ['riverside.chat.example', 'riverside'],
  ['localhost', 'default'],
  ['127.0.0.1', 'default'],
  ['[::1]', 'default'],
  ['under_score.example', 'default'],
])('takes the school of %s to be %s [THEME-1]', (hostname, key) => {
  expect(toSchoolKey(hostname)).toBe(key);
});

it('names custom properties with dashes [THEME-3]', () => {
  expect(toCustomProperty('primaryColorDark')).toBe('--primary-color-dark');
  expect(toCustomProperty('logoUrl')).toBe('--logo-url');
});
