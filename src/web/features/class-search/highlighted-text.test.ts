import { expect, it } from 'vitest';
import { parseHighlights } from './highlighted-text.tsx';

const mark = (text: string) => `__ais-highlight__${text}__/ais-highlight__`;
const showParts = (marked: string) =>
  parseHighlights(marked).map(({ text, isMatch }) => (isMatch ? `[${text}]` : text));

it.each([
  ['', []],
  ['Calculus', ['Calculus']],
  [mark('Calc'), ['[Calc]']],
  [`${mark('Calc')}ulus ${mark('3')}`, ['[Calc]', 'ulus ', '[3]']],
  // Markup in a class name stays text, and an unclosed mark ends with its value.
  [`<b>${mark('<i>')}`, ['<b>', '[<i>]']],
  ['__ais-highlight__Calc', ['[Calc]']],
])('takes %j apart [SEARCH-114]', (marked, parts) => {
  expect(showParts(marked)).toEqual(parts);
});
