import { expect, test } from 'vitest';
import { highlight } from './highlight.ts';
import { toTerms } from '#server/base/tokenizer.ts';

const tags = { pre: '[', post: ']' };

function mark(text: string, query: string, fuzzy: string[] = []) {
  const terms = toTerms(query).map((word) => ({ text: word, prefix: true, fuzzy: new Set(fuzzy) }));
  return highlight(text, terms, tags);
}

test.each([
  ['Data Structures', 'struct', 'Data [Struct]ures'],
  ['Data Structures', 'data structures', '[Data] [Structures]'],
  ['Español elemental', 'espan', '[Españ]ol elemental'],
  ['Calculus III', 'calc 3', '[Calc]ulus [III]'],
  ['Straße', 'strass', '[Straß]e'],
  ['微积分', '积分', '微[积分]'],
  ['02', '2', '[02]'],
  ['<b>Data</b>', 'data', '<b>[Data]</b>'],
  ['Data', '', 'Data'],
])('of %s, %s finds %s [SEARCH-114]', (text, query, value) => {
  expect(mark(text, query).value).toBe(value);
});

test('A highlight says which words of the query the text has [SEARCH-114]', () => {
  expect(mark('Data Structures', 'data mining')).toEqual({
    value: '[Data] Structures',
    matchLevel: 'partial',
    matchedWords: ['data'],
  });
  expect(mark('Design', 'desgin', ['design'])).toEqual({
    value: '[Design]',
    matchLevel: 'full',
    matchedWords: ['desgin'],
  });
  expect(mark('Design', 'yoga')).toEqual({ value: 'Design', matchLevel: 'none', matchedWords: [] });
});
