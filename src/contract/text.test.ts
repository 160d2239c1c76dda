import { describe, expect, test } from 'vitest';
import { isPlainLine, isPlainText } from './text.ts';

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
});
