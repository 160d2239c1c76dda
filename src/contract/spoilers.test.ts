import { expect, test } from 'vitest';
import { toMentionToken } from './mentions.ts';
import { findSpoilers, toQuoteText } from './spoilers.ts';

const listHidden = (text: string) =>
  findSpoilers(text).map(({ from, to }) => text.slice(from + 2, to - 2));

test.each([
  'a || b, or a || b || c, or a||b||c',
  '(a||b)&&(c||d) if(!a||!b||!c)',
  "SELECT first||' '||last, 'a'||'b'||'c'",
  'make ||true; make ||true; test -f x || exit 1',
  'return a\n  || b\n  || c;',
  'if (a ||\n    b ||\n    c)',
  '||x||² + ||y||^2, ||z||_2, P(A||B)',
  '$||x||$ and $$||y||$$',
  '`||a||`\n```c\nif (x ||y)\n  ||z||\n```',
  '||Mon|Tue|\n|--|--|--|\n|8:00|x||',
  '|| || |||| |||a||| \\||b|| ||c',
  '||a||| ||c',
  '~~~\nif (a ||b)\n  ||c||\n~~~',
  '$$\na\n\n||b||\n$$ or \\[ a\n\n||b|| \\]',
  // Each fence is compared with the whole run.
  `${'```a\n'.repeat(266)}${'`'.repeat(2660)}x ||`,
])('%j has no spoiler [MARKUP-30]', (text) => {
  expect(findSpoilers(text)).toEqual([]);
});

test.each([
  ['It is ||42||, (||b||) and "||c||"!', ['42', 'b', 'c']],
  ['|| the whole line ||\nAnswer: || 42 ||', [' the whole line ', ' 42 ']],
  ['答案是||四十二||对吗 👉||42||👈', ['四十二', '42']],
  ['||```c\na || b\n```||', ['```c\na || b\n```']],
  ['So ||one\n\ntwo||.', ['one\n\ntwo']],
  ['||`a || b`|| ||$||x|| = 1$|| ||P(A|B)||', ['`a || b`', '$||x|| = 1$', 'P(A|B)']],
  ['| 1 | ||42|| |', ['42']],
  ['||the norm is |x||| and ||b||', ['the norm is |x|', 'b']],
  ['I paid $$ for it\n\n||42||\n\nand $$ more', ['42']],
  ['~~~\n||42||', ['42']],
  ['||a|| '.repeat(501), ['||a|| '.repeat(501).slice(2, -3)]],
])('%j hides %j [MARKUP-30]', (text, hidden) => {
  expect(listHidden(text)).toEqual(hidden);
});

test('a quote has no hidden text, and cuts neither a spoiler, a mention nor a surrogate pair [MARKUP-31, MENTION-10, CHAT-30]', () => {
  const mention = toMentionToken('annannannannann_');
  const start = 'a'.repeat(190);
  expect(toQuoteText(`${start}${mention}`)).toBe(start);
  expect(toQuoteText(`${start}\\${mention}`)).toBe(start);
  expect(toQuoteText(`${mention}${start}`)).toBe(`${mention}${start}`.slice(0, 200));
  expect(toQuoteText(`${'a'.repeat(199)}😀`)).toBe('a'.repeat(199));
  expect(toQuoteText(`It is ||${start} ${mention}||, is it?`)).toBe('It is ||…||, is it?');
  expect(toQuoteText(`${'a '.repeat(99)}||secret||`)).toBe('a '.repeat(99));
});
