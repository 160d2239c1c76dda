import { beforeAll, expect, it } from 'vitest';
import { markupParser } from '#web/markup/markup-parser.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import type { Format } from '#web/ui/shortcut-keys.ts';
import { isInCode } from './is-in-code.ts';
import type { FieldSelection, TextEdit } from './replace-text.ts';
import { isLikelyCode, linkSelection, toggleFormat, wrapInFence } from './text-edits.ts';

beforeAll(() => markupParser.load());

/** `‹` and `›` stand for the ends of the selection. */
function parse(markedText: string): FieldSelection {
  const from = markedText.indexOf('‹');
  return { text: markedText.replace(/[‹›]/g, ''), from, to: markedText.indexOf('›') - 1 };
}

function show(
  { text }: FieldSelection,
  { from, to, insert, selectFrom, selectTo }: TextEdit,
): string {
  const next = text.slice(0, from) + insert + text.slice(to);
  return `${next.slice(0, selectFrom)}‹${next.slice(selectFrom, selectTo)}›${next.slice(selectTo)}`;
}

it.each<[Format, string, string]>([
  ['bold', 'a ‹b› c', 'a **‹b›** c'],
  ['bold', 'a ‹**b**› c', 'a ‹b› c'],
  ['italic', 'a **‹b›** c', 'a ***‹b›*** c'],
  ['italic', 'a ***‹b›*** c', 'a **‹b›** c'],
  ['bold', 'a ***‹b›*** c', 'a *‹b›* c'],
  ['italic', '‹**b**›', '*‹**b**›*'],
  ['strike', '‹›', '~~‹›~~'],
  ['strike', '~~‹›~~', '‹›'],
  ['code', 'a ‹ ›b', 'a `‹›` b'],
  ['bold', '‹a\n\nb›', '**‹a**\n\n**b›**'],
  ['italic', '‹ a \nb\t›', ' *‹a* \n*b›*\t'],
  ['strike', '‹- a\n- b\n› c', '- ~~‹a~~\n- ~~b›~~\n c'],
  ['bold', '‹# A\n> 1. b\n> 2) c›', '# **‹A**\n> 1. **b**\n> 2) **c›**'],
  ['bold', 'x ‹a\n- b› y', 'x **‹a**\n- **b›** y'],
  ['bold', '‹a | b\n---|---\n1 | 2›', '**‹a** | **b**\n---|---\n**1** | **2›**'],
  ['bold', '‹a\n```\nb\n```\nc›', '**‹a**\n```\nb\n```\n**c›**'],
  ['italic', '‹a\n$$\nb\n$$\nc›', '*‹a*\n$$\nb\n$$\n*c›*'],
  ['bold', 'W‹or›d', '**‹Word›**'],
  ['bold', 'a‹, b (›c)', 'a, **‹b›** (c)'],
  ['italic', 'to @‹Blue› Fox', 'to *‹@Blue›* Fox'],
  ['bold', '`a ‹b› c`', '**‹`a b c`›**'],
  ['bold', '‹see https://a.example/x›y', '**‹see https://a.example/xy›**'],
  ['bold', 'f‹oo *b›ar* x', '**‹foo *bar*›** x'],
  ['bold', '他说‹你好›。', '他说**‹你好›**。'],
  ['code', '‹a\n  b›', '```\n‹a\n  b›\n```\n'],
  ['code', 'x\n‹  a\nb\n›c', 'x\n```\n‹  a\nb›\n```\nc'],
  ['code', '‹a\n```\nb›', '````\n‹a\n```\nb›\n````\n'],
  ['code', 'a‹ b ›c', 'a `‹b›` c'],
  ['code', '‹a\n›', '`‹a›`\n'],
  ['code', '‹a ` b›', '``‹a ` b›``'],
  ['code', 'x ‹`a` b›', 'x `` ‹`a` b› ``'],
  ['code', 'x *‹*bol›d** y', 'x `‹**bold**›` y'],
  ['code', '**‹a** *b›*', '`‹**a** *b*›`'],
  ['code', '**a ‹*b*› c**', '**a `‹*b*›` c**'],
])('%s of %j makes %j, and takes the marks away again [SEND-27]', (format, before, after) => {
  const toggle = (markedText: string) => {
    const selection = parse(markedText);
    return show(selection, toggleFormat(selection, format));
  };
  const withoutSelection = (markedText: string) => markedText.replace(/[‹›]/g, '').trimEnd();
  const findShownText = (markedText: string) => toPlainText(parse(markedText).text, new Map());
  expect(toggle(before)).toBe(after);
  expect(withoutSelection(toggle(after))).toBe(withoutSelection(before));
  // The room shows no mark.
  if (format !== 'code' && !after.includes('‹›')) {
    expect(findShownText(after)).toBe(findShownText(before));
  }
});

it.each<[Format, string, string]>([
  ['bold', '**a‹›** b', '**a**‹› b'],
  ['italic', '*a **‹b› x** c*', '*a* **‹b› x** *c*'],
  ['bold', '‹a **b** c›', '**‹a b c›**'],
  ['bold', '‹**a** b **c**›', '**‹a b c›**'],
  ['bold', '**a ‹b› c**', '**a** ‹b› **c**'],
  ['bold', '‹**a**\n\nb›', '‹**a**\n\n**b›**'],
  ['bold', '**a ‹b\nc› d**', '**a** ‹b\nc› **d**'],
  ['italic', '__‹a› b__', '__*‹a›* b__'],
  ['italic', '‹_a_›', '‹a›'],
  ['bold', 'a\n```\n‹b›\n```', 'a\n```\n‹b›\n```'],
  ['code', '‹``a ` b``›', '‹a ` b›'],
  ['code', '`a` ‹b› `c`', '`a` `‹b›` `c`'],
  ['code', 'x\n‹```js\na\nb\n```›', 'x\n‹js\na\nb›'],
])('%s of %j makes %j [SEND-27]', (format, before, after) => {
  const selection = parse(before);
  expect(show(selection, toggleFormat(selection, format))).toBe(after);
});

it('makes the selection a link to the pasted address [SEND-28]', () => {
  const link = (markedText: string, pasted: string) => {
    const selected = parse(markedText);
    const edit = linkSelection(selected, pasted);
    return edit && show(selected, edit);
  };
  expect(link('see ‹the notes›.', 'https://a.example/x_(y) ')).toBe(
    'see [the notes](https://a.example/x_%28y%29)‹›.',
  );
  expect(link('see ‹›.', 'https://a.example')).toBeNull();
  expect(link('see ‹https://b.example›', 'https://a.example')).toBeNull();
  expect(link('‹see›', 'javascript:alert(1)')).toBeNull();
  expect(link('‹see›', 'https://a.example and more')).toBeNull();
  expect(link('`a ‹see› b`', 'https://a.example')).toBeNull();
  expect(link('‹a\nb›', 'https://a.example')).toBeNull();
});

it('puts code between fences that are longer than its own marks [SEND-29]', () => {
  const text = 'Look: \n  a();\n';
  expect(show(parse(`‹›${text}`), wrapInFence(text, 7, text.length))).toBe(
    'Look: \n```\n  a();\n```\n‹›',
  );
  expect(wrapInFence('a ```b``` c', 0, 11).insert).toBe('````\na ```b``` c\n````\n');
  expect(wrapInFence('x\na;\nb;\ny', 2, 7).insert).toBe('```\na;\nb;\n```');
});

it('knows whether a position is in code [SEND-28]', () => {
  expect(isInCode('a `b', 4)).toBe(true);
  expect(isInCode('a `b` c', 7)).toBe(false);
  expect(isInCode('```\nx', 5)).toBe(true);
  expect(isInCode('```\nx\n```\ny', 11)).toBe(false);
  expect(isInCode('```\nx```\ny', 9)).toBe(false);
  expect(isInCode('```x = 1\ny', 10)).toBe(true);
  expect(isInCode('```x```\ny', 9)).toBe(false);
});

it.each([
  'for (let i = 0; i < n; i++) {\n  sum += i;\n}',
  'def f(x):\n    return x + 1',
  'SELECT *\nFROM t\nWHERE a = 1;',
  'int main() {\n\treturn 0;\n}',
  'x = 1\ny = x + 2\nprint(y)',
  '<ul>\n  <li>a</li>\n</ul>',
  '.a {\n  color: red;\n}',
])('takes %j for code [SEND-29]', (text) => expect(isLikelyCode(text)).toBe(true));

it.each([
  'One line; only',
  'Hello,\nI cannot come today.\nSee you!',
  '- milk\n- bread\n- eggs',
  'Questions:\n1. What is a heap?\n2. What is a tree?',
  'Monday (10:00)\nTuesday (12:00)\nbring paper',
  'I think that:\n  this is a quote\nand this is not',
  'if you have time\nfor the review\nplease come',
  'We get\n$$\nx = 1\ny = 2\n$$',
  '\\begin{align}\nx = 1 \\\\\ny = 2\n\\end{align}',
])('does not take %j for code [SEND-29]', (text) => expect(isLikelyCode(text)).toBe(false));
