import { expect, it } from 'vitest';
import { highlight, type Token } from './highlight.ts';

function toText({ children }: Token): string {
  return children.map((child) => (typeof child === 'string' ? child : toText(child))).join('');
}

it.each([
  ['py', 'def f(x):\n    return "<b>" # &amp;'],
  ['js', 'const f = (x) => `a${x}` // </script>'],
  ['c++', 'template<class T> auto f() -> T { return 1.5f; }'],
  ['html', '<p class="a">b &lt; c</p><script>let a = 1;</script>'],
  ['sql', "select * from a where b = 'c'; -- d"],
])('colors %s, and changes no character [MARKUP-8]', (language, code) => {
  const token = highlight(code, language);
  expect(token && toText(token)).toBe(code);
  expect(JSON.stringify(token)).toMatch(/"scope":"keyword"/);
});

it('leaves an unknown language and code that is written to be slow as they are [MARKUP-8]', () => {
  expect(highlight('a', 'nolang')).toBeNull();
  expect(highlight('$'.repeat(4000), 'java')).toBeNull();
  expect(highlight('\n'.repeat(4000), 'haskell')).toBeNull();
});

it('leaves long lists of words without punctuation as they are, and colors long comments [MARKUP-8]', () => {
  expect(highlight('word '.repeat(800), 'csharp')).toBeNull();
  expect(highlight('a\n'.repeat(2000), 'csharp')).toBeNull();
  expect(
    highlight(`// ${'A comment of many words, in sentences. '.repeat(90)}\nint a = 1;`, 'csharp'),
  ).not.toBeNull();
});
