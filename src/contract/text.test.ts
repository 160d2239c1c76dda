import { expect, test } from 'vitest';
import { isBlank } from './text.ts';

test.each([
  ['spaces', ' \n\u00a0\u3000'],
  ['a space without width', '\u200b'],
  ['a blank of Braille', '\u2800'],
  ['a Hangul filler', '\u3164'],
  ['a variation selector', '\ufe0f'],
  ['a rare variation selector', '\u{e0100}'],
  ['a joiner of marks', '\u034f'],
  ['a Khmer vowel without a glyph', '\u17b4'],
])('a text of %s is blank [SEND-1]', (_, text) => {
  expect(isBlank(text)).toBe(true);
  expect(isBlank(`${text}a`)).toBe(false);
});

test.each(['❤️', '👩‍👩‍👧', '́', '1'])('%s is not blank [SEND-1]', (text) => {
  expect(isBlank(text)).toBe(false);
});
