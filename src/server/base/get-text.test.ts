import { expect, test } from 'vitest';
import { toParts } from '#contract/message-format.ts';
import { compileMessage, createMessageStyle } from './catalogues.ts';
import { getText } from './get-text.ts';

function format(text: string, values: Record<string, unknown>, language = 'en'): unknown[] {
  return toParts(compileMessage(text, language), values, createMessageStyle(language));
}

test.each([
  { text: 'Send', values: {}, expected: 'Send' },
  { text: "It''s {name}'s", values: { name: 'Ada' }, expected: "It's Ada's" },
  { text: '{count, number} of it', values: { count: 4000 }, expected: '4,000 of it' },
  { text: '{n, plural, one {# day} other {# days}}', values: { n: 1 }, expected: '1 day' },
  { text: '{n, plural, =0 {none} other {# days}}', values: { n: 0 }, expected: 'none' },
  { text: '{n, plural, other {#}}', values: { n: 4000 }, expected: '4,000' },
  { text: '{kind, select, pdf {PDF} other {File}}', values: { kind: 'x' }, expected: 'File' },
  {
    text: '{n, plural, other {# {kind, select, pdf {PDFs} other {files}}}}',
    values: { n: 2, kind: 'pdf' },
    expected: '2 PDFs',
  },
  { text: 'At most {limits_mentions} people', values: {}, expected: 'At most 20 people' },
])('the message "$text" becomes "$expected"', ({ text, values, expected }) => {
  expect(format(text, values).join('')).toBe(expected);
});

test('a tag gets its content, and its result stands between the texts', () => {
  const link = (content: unknown[]) => ({ link: content });

  expect(format('See <link>{name}, now</link>.', { name: 'this', link })).toEqual([
    'See ',
    { link: ['this', ', now'] },
    '.',
  ]);
});

test('Arabic has six plurals', () => {
  const text = '{n, plural, zero {0} one {1} two {2} few {few} many {many} other {other}}';
  const counts = [0, 1, 2, 3, 11, 100];

  expect(counts.map((n) => format(text, { n }, 'ar').join(''))).toEqual([
    '0',
    '1',
    '2',
    'few',
    'many',
    'other',
  ]);
});

test.each([
  { text: '{n, plural, one {# day}}', reason: 'MISSING_OTHER_CLAUSE' },
  { text: '{day, date}', reason: 'Not supported' },
  { text: '{limits_nothing}', reason: 'There is no limit nothing' },
  { text: '{open', reason: 'EXPECT_ARGUMENT_CLOSING_BRACE' },
])('the message "$text" is rejected: $reason', ({ text, reason }) => {
  expect(() => compileMessage(text, 'en')).toThrow(reason);
});

test('a language that lacks a text has the English one', () => {
  expect(getText('tlh', 'common.copy')).toBe('Copy');
});
