import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMentions, listMentionedIds } from '#contract/mentions.ts';
import type { Block, Inline } from './markup.ts';
import { parseMarkup } from './parse-markup.ts';
import { listPieces, removeMarks } from './plain-text.ts';

const listTexts = (blocks: readonly Block[]) =>
  listPieces(blocks).filter((piece) => piece.kind === 'text');

const createTexts = (...pieces: string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));

/** The tree in a short form, to compare. */
function outline(source: string): string {
  return parseMarkup(source).map(formatOutline).join('');
}

function formatOutline(part: Block | Inline): string {
  const formatOutlines = (parts: readonly (Block | Inline)[]) => parts.map(formatOutline).join('');
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'mention':
      return `<@ ${part.memberId}>`;
    case 'paragraph':
      return `[${formatOutlines(part.content)}]`;
    case 'heading':
      return `<h${part.level}>${formatOutlines(part.content)}</h${part.level}>`;
    case 'strong':
    case 'emphasis':
    case 'strike':
      return `<${part.kind}>${formatOutlines(part.content)}</${part.kind}>`;
    case 'code':
      return `<code>${part.code.text}</code>`;
    case 'codeBlock':
      return `<pre ${part.language}>${part.code.text}</pre>`;
    case 'formula':
      return `<math${part.display ? ' display' : ''}>${part.formula.text}</math>`;
    case 'formulaBlock':
      return `<math block>${part.formula.text}</math>`;
    case 'quote':
      return `<quote>${formatOutlines(part.blocks)}</quote>`;
    case 'list':
      return `<list ${part.start ?? part.delimiter}>${part.items.map((item) => `<li>${formatOutlines(item)}</li>`).join('')}</list>`;
    case 'table':
      return part.rows
        .map((row) => `<tr>${row.map((cell) => `<td>${formatOutlines(cell)}</td>`).join('')}</tr>`)
        .join('');
    case 'link':
      return `<a ${part.href}${part.target ? ` really ${part.target}` : ''}>${formatOutlines(part.content)}</a>`;
  }
}

describe('parses', () => {
  it.each([
    [
      '**a** *b* ***c*** ~~d~~ __e__ _f_',
      '[<strong>a</strong> <emphasis>b</emphasis> <emphasis><strong>c</strong></emphasis> <strike>d</strike> <strong>e</strong> <emphasis>f</emphasis>]',
    ],
    ['`a` ``b`c`` ` d `', '[<code>a</code> <code>b`c</code> <code>d</code>]'],
    [
      '# One *x* #\n## Two\n### Three\ntext',
      '<h1>One <emphasis>x</emphasis></h1><h2>Two</h2><h3>Three</h3>[text]',
    ],
    [
      '- a\n- b\n  - c\n1. d\n2. e\n7) f',
      '<list -><li>[a]</li><li>[b]<list -><li>[c]</li></list></li></list><list 1><li>[d]</li><li>[e]</li></list><list 7><li>[f]</li></list>',
    ],
    ['> a\n> b\n>\n> c', '<quote>[a\nb\n\nc]</quote>'],
    ['>> a\n> b', '<quote><quote>[a]</quote>[b]</quote>'],
    ['```Python x\na\n  b\n```\nc', '<pre python>a\n  b</pre>[c]'],
    ['> ```\n> a\n> b\n> ```', '<quote><pre >a\nb</pre></quote>'],
    ['>   ```\n>     a\n>   b\n> ```', '<quote><pre >  a\nb</pre></quote>'],
    ['- ```\n\n    a\n  ```', '<list -><li><pre >\n  a</pre></li></list>'],
    [
      '| a | b |\n|---|:-:|\n| `1` | |\n| | 2 | 3 |',
      '<tr><td>a</td><td>b</td></tr><tr><td><code>1</code></td><td></td></tr><tr><td></td><td>2</td></tr>',
    ],
    ['a\\*b \\[c\\]', '[a*b [c]]'],
  ])('%j [MARKUP-1]', (source, expected) => {
    expect(outline(source)).toBe(expected);
  });

  it.each([
    ['$x$, $$y$$ and ($z$)', '[<math>x</math>, <math display>y</math> and (<math>z</math>)]'],
    ['$$\na\n- b\n$$\nc', '<math block>a - b</math>[c]'],
    ['> $$\n> a\n> $$', '<quote><math block>a</math></quote>'],
    ['$a\\$b$', '[<math>a\\$b</math>]'],
  ])('the formulas of %j [MARKUP-10]', (source, expected) => {
    expect(outline(source)).toBe(expected);
  });

  it.each([
    ['https://a.example/*x*_y_', '[<a https://a.example/*x*_y>https://a.example/*x*_y</a>_]'],
    [
      '**https://a.example** www.b.example',
      '[<strong><a https://a.example/>https://a.example</a></strong> <a https://www.b.example/>www.b.example</a>]',
    ],
    [
      '[**a** b](https://a.example "title") <https://b.example>',
      '[<a https://a.example/><strong>a</strong> b</a> <a https://b.example/>https://b.example</a>]',
    ],
    [
      '[https://a.example](https://b.example)',
      '[<a https://b.example/ really b.example>https://a.example</a>]',
    ],
    ['![a](https://a.example/b.png)', '[<a https://a.example/b.png>a</a>]'],
    ['me@a.example', '[<a mailto:me@a.example>me@a.example</a>]'],
  ])('the links of %j [MARKUP-5]', (source, expected) => {
    expect(outline(source)).toBe(expected);
  });
});

it.each([
  '>:( >_< - + * # #tag ## ',
  '-',
  '+',
  '#',
  '>',
  '#### four',
  '---',
  'Title\n===',
  'Title\n---',
  '* * *',
  '<b>bold</b> &amp; <!-- x --> <script>',
  '[a]: https',
  '[a] [b][c] [d](/home) [e](javascript:x) [f](data:x) [g](vbscript:x)',
  'snake_case_name 2 * 3 * 4 ~5~',
  'it costs $5 and $6, US$5/$6 $HOME/$PATH $ x $ $$ \\$x\\$',
  '```\n```',
  '  indented\n      more\n\n\n\nend',
])('shows %j as typed [MARKUP-2, MARKUP-3]', (source) => {
  expect(removeMarks(parseMarkup(source)).replaceAll('\\$', '$')).toBe(
    source.replaceAll('\\$', '$'),
  );
  expect(parseMarkup(source)).toHaveLength(1);
  expect(outline(source)).not.toMatch(/<(?:h\d|list|quote|pre|math|a|tr) ?/);
});

const token = '<@a-b_c-d_e-f_g-h_>';
const mentioned = '<@ a-b_c-d_e-f_g-h_>';

it.each([
  [`\\\\${token}`, `[\\${token}]`],
  [`\\\\\\${token}`, `[\\${token}]`],
  [`\\${token}`, `[${token}]`],
  [`a ${token}${token} _b_`, `[a ${mentioned}${mentioned} <emphasis>b</emphasis>]`],
  [`$a ${token} b$ $c$`, `[$a ${mentioned} b$ <math>c</math>]`],
  [`$$\na\n${token} \\${token}\n$$`, `[$$\na\n${mentioned} ${token}\n$$]`],
  [`https://a.example/\\${token}`, `[<a https://a.example/>https://a.example/</a>${token}]`],
  [`[a](javascript:${token})`, `[[a](javascript:${mentioned})]`],
  [`[${token}](https://a.example)`, `[<a https://a.example/ really a.example>${mentioned}</a>]`],
  [`${'*a '.repeat(500)}${token}\\${token}`, `[${'*a '.repeat(500)}${mentioned}${token}]`],
])(
  '%j mentions whom the server counts, and shows other tokens as typed [MARKUP-17]',
  (source, expected) => {
    expect(outline(source)).toBe(expected);
  },
);

it('shows any text of tokens and backslashes as it was typed [MARKUP-17]', () => {
  fc.assert(
    fc.property(createTexts('\\', token, 'a', ' ', '(', '-b', '@', '<'), (typedText) => {
      const messageText = escapeMentions(`x${typedText}`);
      expect(listMentionedIds(messageText)).toEqual([]);
      // A backslash before a mark is Markdown's.
      expect(removeMarks(parseMarkup(messageText))).toBe(
        messageText.replace(/\\([\\(<@-])/g, '$1'),
      );
    }),
  );
});

it.each([
  ['[google.](https://evil.example)[com](https://evil.example/2)', 2],
  ['**google.**[com](https://evil.example)', 1],
  ['[google](https://evil.example).com', 1],
  ['[$\\text{google.com}$](https://evil.example)', 1],
  ['goo[*gle*](https://evil.example)~~.com~~', 1],
  ['see [this](https://evil.example).', 0],
])('shows the host of %j, which looks like another address [MARKUP-18]', (source, hosts) => {
  expect(outline(source).match(/ really evil\.example/g) ?? []).toHaveLength(hosts);
});

it('knows that the line breaks of a quote were typed with marks between them [MARKUP-12]', () => {
  const texts = listTexts(parseMarkup('> a\n>\n> b'));
  expect(texts.map(({ text, from }) => [text, from])).toEqual([
    ['a', 2],
    ['\n\n', null],
    ['b', 8],
  ]);
});

it('ends a quote or a list at a line without its marks [MARKUP-2]', () => {
  expect(outline('> asked\nanswered\n- item\nafter')).toBe(
    '<quote>[asked]</quote>[answered]<list -><li>[item]</li></list>[after]',
  );
});

it.each([
  ['stars', '*'.repeat(4000)],
  ['emphasis', '*a '.repeat(1333)],
  ['closers', 'a** '.repeat(1000)],
  ['brackets', '['.repeat(4000)],
  ['links', '[a](b'.repeat(800)],
  ['backslashes', '\\*'.repeat(2000)],
  ['white space', `|a|${' '.repeat(3900)}\n|-|`],
  ['headings', '# a\n'.repeat(1000)],
  ['different marks', '*_'.repeat(2000)],
  ['dollars', '!$'.repeat(2000)],
  ['lines', '- a\n'.repeat(900)],
])('shows a text of too many %s as typed [MARKUP-4]', (_, source) => {
  expect(outline(source)).toBe(`[${source}]`);
});

it('limits how deep blocks are nested [MARKUP-4]', () => {
  const countDepth = (blocks: readonly Block[]): number =>
    Math.max(
      0,
      ...blocks.map((block) => {
        if (block.kind === 'quote') return 1 + countDepth(block.blocks);
        if (block.kind === 'list') return 1 + Math.max(...block.items.map(countDepth));
        return 0;
      }),
    );
  const lists = Array.from({ length: 60 }, (_, n) => `${'  '.repeat(n)}- a`).join('\n');
  for (const source of [
    '>'.repeat(190) + ' a',
    '> '.repeat(90) + 'a',
    '- '.repeat(90) + 'a',
    '> - '.repeat(40) + 'a',
    lists,
  ]) {
    expect(countDepth(parseMarkup(source))).toBeGreaterThan(3);
    expect(countDepth(parseMarkup(source))).toBeLessThanOrEqual(12);
  }
});

// No piece is a bare number: with a dot and a space it would be the mark of a list, whose number is no text.
const plainPieces =
  '* ** _ ~~ \\ [ ] ) ( ! < > - # | |-| --- \n \n\n \t a bc x1 . : @ :// http:// www. a@b.c https://a.b/ é 字 😀 &amp; <b> " \' \u202b \u2066'
    .split(' ')
    .concat(' ', '  ', '> ', '- ', '# ');
const otherPieces = ['`', '```', '$', '$$', '](', '](https://c.d)', '1. ', 'javascript:'];

it('loses no letter or digit of a text that has only marks [MARKUP-2]', () => {
  const removePunctuation = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
  // Three tildes can begin a block of code, whose language is no text.
  const texts = createTexts(...plainPieces).filter((source) => !source.includes('~~~'));
  fc.assert(
    fc.property(texts, (source) => {
      const typedTexts = listTexts(parseMarkup(source)).filter(({ from }) => from !== null);
      expect(removePunctuation(typedTexts.map(({ text }) => text).join(''))).toBe(
        removePunctuation(source),
      );
    }),
    { numRuns: 500 },
  );
});

it('knows where each piece of any text was typed, and links only to the web and to mail [MARKUP-5, MARKUP-12]', () => {
  const listLinks = (parts: readonly (Block | Inline)[]): string[] =>
    [...JSON.stringify(parts).matchAll(/"href":"(.*?)"/g)].map(([, href = '']) => href);
  fc.assert(
    fc.property(createTexts(...plainPieces, ...otherPieces), (source) => {
      const blocks = parseMarkup(source);
      for (const { text, from } of listTexts(blocks)) {
        if (from !== null) expect(source.slice(from, from + text.length)).toBe(text);
      }
      for (const href of listLinks(blocks)) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/);
    }),
    { numRuns: 500 },
  );
});
