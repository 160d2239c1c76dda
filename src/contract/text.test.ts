import { describe, expect, test } from 'vitest';
import { isBlank, isPlainLine, isPlainText, tidyMessageText, trimMessageText } from './text.ts';

describe('text', () => {
  test.each(['hello', 'ünïcödé', 'שלום', '👩‍👩‍👧', 'a\tb\nc'])(
    '%j may be a message [SEND-11]',
    (text) => {
      expect(isPlainText(text)).toBe(true);
    },
  );

  test.each(['\u0000', '\u001b[31m', '\u202e', '\ud83d', '\u0085'])(
    '%j may be in no text [SEND-11, CREATE-14]',
    (text) => {
      expect(isPlainText(`a${text}b`)).toBe(false);
      expect(isPlainLine(`a${text}b`)).toBe(false);
    },
  );

  test.each(['\n', '\r', '\t', '\u2028', '\u2066'])(
    '%j may not be in one line [CREATE-14]',
    (text) => {
      expect(isPlainLine(`a${text}b`)).toBe(false);
    },
  );

  test.each([
    ['a line break of a word processor', 'one\u000btwo', 'one\ntwo'],
    ['a page break', 'one\u000ctwo', 'one\ntwo'],
    ['a line break of Windows', 'one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['colors of a terminal', '\u001b[31mred', '[31mred'],
    ['a direction override', 'a\u202eb', 'ab'],
    ['half an emoji', 'a\ud83d', 'a\ufffd'],
    ['tabs, joiners and marks of direction', 'a\tb\u200dc\u200f', 'a\tb\u200dc\u200f'],
  ])('a text with %s can be sent once it is tidied [SEND-49]', (_, typedText, tidied) => {
    expect(tidyMessageText(typedText)).toBe(tidied);
    expect(isPlainText(tidied)).toBe(true);
  });

  test.each([
    ['code from the middle of a function', '    a = 1\n    b = 2\n', '    a = 1\n    b = 2'],
    ['tabs after blank lines', '\n \n\tif x:\n\t\ty\n\n', '\tif x:\n\t\ty'],
    ['one line', ' \n  a ', 'a'],
    ['spaces and line breaks', ' \n \n', ''],
  ])('a text of %s keeps its indentation if it has several lines [SEND-29]', (_, text, sent) => {
    expect(trimMessageText(text)).toBe(sent);
    expect(trimMessageText(sent)).toBe(sent);
  });

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

  test.each(['❤️', '👩‍👩‍👧', '́', '1'])('%j is not blank [SEND-1]', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});
