import { expect, test } from 'vitest';
import { queryTermsOf } from './query-terms.ts';
import { snippet } from './snippet.ts';

const text = '(One two three four five six seven eight nine ten).';

test.each([
  [text, 'zero', 3, '(One two three…'],
  [text, 'one', 3, '([One] two three…'],
  [text, 'five', 3, '…four [five] six…'],
  [text, 'ten', 3, '…eight nine [ten]).'],
  [text, 'two seven eight', 3, '…[seven] [eight] nine…'],
  [text, 'three six', 2, '…[three] four…'],
  [text, 'fiv', 1, '…[fiv]e…'],
  [text, 'five', 10, '(One two three four [five] six seven eight nine ten).'],
  ['微积分入门', '分', 2, '…[分]入…'],
  ['', 'x', 1, ''],
  ['…!', 'x', 1, '…!'],
])('of %s with %s keeps the %i best words [SEARCH-77]', (value, query, length, expected) => {
  const terms = queryTermsOf(query).map((term) => ({ ...term, fuzzy: new Set<string>() }));
  const tags = { pre: '[', post: ']' };
  expect(snippet(value, terms, { tags, length, ellipsis: '…' }).value).toBe(expected);
});
