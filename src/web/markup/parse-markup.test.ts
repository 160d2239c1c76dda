import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMentions, listMentionedIds } from '#contract/mentions.ts';
import type { Block, Inline } from './markup.ts';
import { parseMarkup } from './parse-markup.ts';
import { listPieces, removeMarks } from './plain-text.ts';

/** What people type, and what they then see. `null`: the text as it was typed. */
const typedTexts: Record<string, readonly (readonly [typed: string, shown: string | null])[]> = {
  'numbers of lists': [
    [
      '3. use induction\n7. same as 3',
      '<list><li 3.>[use induction]</li><li 7.>[same as 3]</li></list>',
    ],
    ['1. a\n1. b\n\n0. c', '<list><li 1.>[a]</li><li 1.>[b]</li><li 0.>[c]</li></list>'],
    ['007. Bond\n10. Downing', '<list><li 007.>[Bond]</li><li 10.>[Downing]</li></list>'],
    ['2) b\n2. c', '<list><li 2)>[b]</li></list><list><li 2.>[c]</li></list>'],
    ['> 5. a\n> 9. b', '<quote><list><li 5.>[a]</li><li 9.>[b]</li></list></quote>'],
  ],
  'a minus or a plus before a number': [
    ['- 3 °C', null],
    ['It is\n- 3 °C\noutside', null],
    ['+ 1 from me', null],
    ['- $5', null],
    ['- .5 V', null],
    ['- ٣ درجات', null],
    ['- -3\n  more', '<list><li ->[-3\nmore]</li></list>'],
    ['- milk\n- 3 eggs', '<list><li ->[milk]</li><li ->[3 eggs]</li></list>'],
    ['- 1. a', '<list><li -><list><li 1.>[a]</li></list></li></list>'],
    ['* 3 apples', '<list><li *>[3 apples]</li></list>'],
  ],
  'marks that are no emphasis': [
    ['2*3*4 and 2**3**4', null],
    ['(a+b)*(c+d)*(e+f)', null],
    ['f(x)*g(x)*h(x)', null],
    ['SELECT count(*), sum(*) FROM a', null],
    ['lib/**/*.ts and src/**/*.ts', null],
    ['grep ".*foo.*" and "*" or "*"', null],
    ['/*comment*/ int *p, *q; (*p)*(*q)', null],
    ['__init__ and __main__', null],
    ['def __init__(self): self.__dict__', null],
    ['snake_case_name and _a_b', null],
    ['x_1*y_2*z_3', null],
    ['2~~3~~4', null],
    ['**vector**s', null],
    ['5*x, 6*y', null],
  ],
  'a backslash': [
    ['¯\\_(ツ)_/¯', null],
    ['\\(^o^)/ \\o/ \\m/', null],
    ['C:\\Users\\_me\\(x86)\\-a', null],
    ['\\\\server\\share', null],
    ['\\d+\\.\\d+\\(a', null],
    ['a \\\\\nb \\\nc', null],
    ['\\*a\\* \\`b\\` \\~~c~~', '[*a* `b` ~~c~~]'],
    ['\\- a\n\\# b\n1\\. c', '[- a\n# b\n1. c]'],
    ['a \\- b \\# c 1\\. d', null],
  ],
  'emphasis beside letters without spaces': [
    ['**注意：**请看。', '[<strong>注意：</strong>请看。]'],
    ['他说**“你好”**然后走了', '[他说<strong>“你好”</strong>然后走了]'],
    ['これは*（重要）*です', '[これは<emphasis>（重要）</emphasis>です]'],
    ['**「注意」**を読む', '[<strong>「注意」</strong>を読む]'],
    ['이것은 **중요(重要)**합니다', '[이것은 <strong>중요(重要)</strong>합니다]'],
    ['~~错误：~~正确', '[<strike>错误：</strike>正确]'],
    ['นี่คือ**สำคัญ**มาก', '[นี่คือ<strong>สำคัญ</strong>มาก]'],
    [
      '❤️**a** a→*b* 😀*c*😀',
      '[❤️<strong>a</strong> a→<emphasis>b</emphasis> 😀<emphasis>c</emphasis>😀]',
    ],
    ['**.env**(a) **b**/**c**', '[<strong>.env</strong>(a) <strong>b</strong>/<strong>c</strong>]'],
    ['_注意_ __重要__', '[<emphasis>注意</emphasis> <strong>重要</strong>]'],
    [
      '«**Внимание:** смотри» (*да*)',
      '[«<strong>Внимание:</strong> смотри» (<emphasis>да</emphasis>)]',
    ],
    ['**ملاحظة:** انظر، *نعم*.', '[<strong>ملاحظة:</strong> انظر، <emphasis>نعم</emphasis>.]'],
  ],
  'fences of code': [
    ['```print("hi")\nx = 1\n```', '<pre >print("hi")\nx = 1</pre>'],
    ['```hello world\nx\n```', '<pre >hello world\nx</pre>'],
    ['```return\nx\n```', '<pre >return\nx</pre>'],
    ['```c++\nx\n```', '<pre c++>x</pre>'],
    ['```\nx = 1```\n**after**', '<pre >x = 1</pre>[<strong>after</strong>]'],
    ['```py\n  if x:\n    y```', '<pre py>  if x:\n    y</pre>'],
    ['> ```\n> x```\n> y', '<quote><pre >x</pre>[y]</quote>'],
    ['```\nx```.\ny', '<pre >x</pre>[.\ny]'],
    ['```x = 1\ny = 2```', '<pre >x = 1\ny = 2</pre>'],
    ['so ```\nif x:\n  y``` works', '[so <code>if x:\n  y</code> works]'],
    ['```echo `date`\nx\n```', '<pre >echo `date`\nx</pre>'],
  ],
  tables: [
    [
      '| f | g |\n|---|---|\n| $\\ln|x| + C$ | 2 |',
      '<tr><td>f</td><td>g</td></tr><tr><td><math>\\ln|x| + C</math></td><td>2</td></tr>',
    ],
    ['|a|\n|-|\n|`x|y`|', '<tr><td>a</td></tr><tr><td><code>x|y</code></td></tr>'],
    ['|a|\n|-|\n|1|2|3|', '<tr><td>a</td></tr><tr><td>1</td><td>2</td><td>3</td></tr>'],
    ['|a|b|\n|-|-|\n|$5|$6|', '<tr><td>a</td><td>b</td></tr><tr><td>$5</td><td>$6</td></tr>'],
    [
      '|a|b|\n|-|-|\n|\\(|x|\\)|y\\|z|',
      '<tr><td>a</td><td>b</td></tr><tr><td><math>|x|</math></td><td>y|z</td></tr>',
    ],
    [
      'a|b\n-|-\n*c*|d|',
      '<tr><td>a</td><td>b</td></tr><tr><td><emphasis>c</emphasis></td><td>d</td></tr>',
    ],
  ],
  'bare links': [
    [
      "https://en.wikipedia.org/wiki/Rolle's_theorem",
      "[<a https://en.wikipedia.org/wiki/Rolle's_theorem>https://en.wikipedia.org/wiki/Rolle's_theorem</a>]",
    ],
    [
      'https://fr.wikipedia.org/wiki/L’Hôpital',
      '[<a https://fr.wikipedia.org/wiki/L%E2%80%99H%C3%B4pital>https://fr.wikipedia.org/wiki/L’Hôpital</a>]',
    ],
    ["'https://a.example/b'", "['<a https://a.example/b>https://a.example/b</a>']"],
    [
      "['https://a.example/b','https://c.example']",
      "[['<a https://a.example/b>https://a.example/b</a>','<a https://c.example/>https://c.example</a>']]",
    ],
    [
      'https://youtu.be/AbCdEfGhIj_',
      '[<a https://youtu.be/AbCdEfGhIj_>https://youtu.be/AbCdEfGhIj_</a>]',
    ],
    [
      '_see https://a.example/b_',
      '[<emphasis>see <a https://a.example/b>https://a.example/b</a></emphasis>]',
    ],
    [
      '_a_ https://youtu.be/b_',
      '[<emphasis>a</emphasis> <a https://youtu.be/b_>https://youtu.be/b_</a>]',
    ],
    ['(https://a.example)です', '[(<a https://a.example/>https://a.example</a>)です]'],
    ["https://a.example's page", "[<a https://a.example/>https://a.example</a>'s page]"],
    [
      'https://a.example,https://c.example',
      '[<a https://a.example/>https://a.example</a>,<a https://c.example/>https://c.example</a>]',
    ],
    ['http://[::1]:80/a', '[<a http://[::1]/a>http://[::1]:80/a</a>]'],
    ['„https://example.com/path“', '[„<a https://example.com/path>https://example.com/path</a>“]'],
    [
      '«https://a.example/b» ‘https://a.example/c’',
      '[«<a https://a.example/b>https://a.example/b</a>» ‘<a https://a.example/c>https://a.example/c</a>’]',
    ],
    ['请看https://a.example/b。谢谢', '[请看<a https://a.example/b>https://a.example/b</a>。谢谢]'],
    [
      '「https://a.example/b」（www.c.example）',
      '[「<a https://a.example/b>https://a.example/b</a>」（<a https://www.c.example/>www.c.example</a>）]',
    ],
    [
      'https://a.example/b، و https://a.example/c؟',
      '[<a https://a.example/b>https://a.example/b</a>، و <a https://a.example/c>https://a.example/c</a>؟]',
    ],
  ],
  formulas: [
    ['so \\(x^2\\) and \\( y \\)', '[so <math>x^2</math> and <math>y</math>]'],
    ['\\[\na = b\n\\]', '<math block>a = b</math>'],
    ['\\[ a \\] b', '[<math display>a</math> b]'],
    ['\\[\na\n\n+ b\n\\]\nc', '<math block>a  + b</math>[c]'],
    [
      '\\begin{align}\na &= b \\\\\n- c\n\\end{align}',
      '<math block>\\begin{align} a &= b \\\\ - c \\end{align}</math>',
    ],
    ['A = \\begin{pmatrix}1\\end{pmatrix}', '[A = <math>\\begin{pmatrix}1\\end{pmatrix}</math>]'],
    ['\\begin{itemize}\n\\item a\n\\end{itemize}', null],
    ['We get\n$$\na = b\n+ c\n$$', '[We get]<math block>a = b + c</math>'],
    ['We get $$\na = b\n+ c\n$$. So', '[We get]<math block>a = b + c</math>[. So]'],
    ['$$\na = b\n\n+ c\n$$.', '<math block>a = b  + c</math>[.]'],
    ['- so\n  $$\n  a\n  $$\n  b', '<list><li ->[so]<math block>a</math>[b]</li></list>'],
    [
      'the $n$th term, le $n$ième, $n$-te, das $k$te',
      '[the <math>n</math>th term, le <math>n</math>ième, <math>n</math>-te, das <math>k</math>te]',
    ],
    ['第$n$项', '[第<math>n</math>项]'],
    ['${HOME}/${USER} $(a)/$(b)', null],
    ['$HOME/$PATH:$path $first$second "$foo" "$bar"', null],
    ['It was $$ for two.\n\nAnd $$ more', null],
    ['foo \\) bar \\( baz \\] \\[T]/', null],
  ],
  spoilers: [
    ['a || b', null],
    [
      '**So ||_a_ `b || c` $||x||$||**',
      '[<strong>So <spoiler><emphasis>a</emphasis> <code>b || c</code> <math>||x||</math></spoiler></strong>]',
    ],
    ['**a ||b** c||', '[**a <spoiler>b** c</spoiler>]'],
    [
      '- ||a||\n> ||b||',
      '<list><li ->[<spoiler>a</spoiler>]</li></list><quote>[<spoiler>b</spoiler>]</quote>',
    ],
    [
      '1 | 2\n-|-\n||a|| | b',
      '<tr><td>1</td><td>2</td></tr><tr><td><spoiler>a</spoiler></td><td>b</td></tr>',
    ],
    ['[see ||this||](https://b.edu)', '[<spoiler><a https://b.edu/>see this</a></spoiler>]'],
    [
      'So: ||\n- a\n\n```c\na || b\n```\n||\nyes',
      '[So: ]<spoilerBlock><list><li ->[a]</li></list><pre c>a || b</pre></spoilerBlock>[yes]',
    ],
    ['\\||a|| and \\| b', '[||a|| and \\| b]'],
    ['~~~\nif (a ||b)\n  ||c||\n~~~', '<pre >if (a ||b)\n  ||c||</pre>'],
    ...[
      '#### ||42||',
      '- ||42||\n-',
      '1. ||42||\n2.',
      '*1* [Task 1](||42||)',
      '[1][||42||]',
      '[1](https://b.edu/||4) 2||',
      'https://b.edu/||42||',
      '<!-- ||42|| -->',
      '```\n||42||',
      'It`s easy:\n||42||\nDon`t peek',
      '`a\n||4`2||',
    ].map((text) => [text, `[${text.replace(/\|\|(.*)\|\|/, '<spoiler>$1</spoiler>')}]`] as const),
    [
      '- ```\n  ||42||\n- *b*',
      '<list><li ->[```\n  <spoiler>42</spoiler>]</li><li ->[<emphasis>b</emphasis>]</li></list>',
    ],
    [
      `${'> '.repeat(12)}||42||`,
      `${'<quote>'.repeat(11)}[> <spoiler>42</spoiler>]${'</quote>'.repeat(11)}`,
    ],
    [`||a|| ${'[ '.repeat(401)}`, `[<spoiler>a</spoiler> ${'[ '.repeat(401)}]`],
  ],
};

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
    case 'spoiler':
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
    case 'spoilerBlock':
      return `<${part.kind}>${formatOutlines(part.blocks)}</${part.kind}>`;
    case 'list':
      return `<list>${part.items.map(({ mark, blocks }) => `<li ${mark.text}>${formatOutlines(blocks)}</li>`).join('')}</list>`;
    case 'table':
      return part.rows
        .map((row) => `<tr>${row.map((cell) => `<td>${formatOutlines(cell)}</td>`).join('')}</tr>`)
        .join('');
    case 'link':
      return `<a ${part.href}${part.title ? ` "${part.title}"` : ''}${part.target ? ` really ${part.target}` : ''}>${formatOutlines(part.content)}</a>`;
  }
}

describe('parses', () => {
  it.each([
    [
      '**a** *b* ***c*** ~~d~~ __e e__ _f_',
      '[<strong>a</strong> <emphasis>b</emphasis> <emphasis><strong>c</strong></emphasis> <strike>d</strike> <strong>e e</strong> <emphasis>f</emphasis>]',
    ],
    ['`a` ``b`c`` ` d `', '[<code>a</code> <code>b`c</code> <code>d</code>]'],
    [
      '# One *x* #\n## Two\n### Three\ntext',
      '<h1>One <emphasis>x</emphasis></h1><h2>Two</h2><h3>Three</h3>[text]',
    ],
    [
      '- a\n- b\n  - c\n1. d\n2. e\n7) f',
      '<list><li ->[a]</li><li ->[b]<list><li ->[c]</li></list></li></list><list><li 1.>[d]</li><li 2.>[e]</li></list><list><li 7)>[f]</li></list>',
    ],
    ['> a\n> b\n>\n> c', '<quote>[a\nb\n\nc]</quote>'],
    ['>> a\n> b', '<quote><quote>[a]</quote>[b]</quote>'],
    ['```Python\na\n  b\n```\nc', '<pre python>a\n  b</pre>[c]'],
    ['> ```\n> a\n> b\n> ```', '<quote><pre >a\nb</pre></quote>'],
    ['>   ```\n>     a\n>   b\n> ```', '<quote><pre >  a\nb</pre></quote>'],
    ['- ```\n\n    a\n  ```', '<list><li -><pre >\n  a</pre></li></list>'],
    [
      '| a | b |\n|---|:-:|\n| `1` | |\n| | 2 | 3 |',
      '<tr><td>a</td><td>b</td></tr><tr><td><code>1</code></td><td></td></tr><tr><td></td><td>2</td><td>3</td></tr>',
    ],
    ['```\na\n```\n    b\n    c', '<pre >a</pre>[    b\n    c]'],
    ['# a\n\n\tb\n- c\n\n  d', '<h1>a</h1>[\tb]<list><li ->[c\n\nd]</li></list>'],
    ['a\\*b \\[c](https://d.example)', '[a*b [c](<a https://d.example/>https://d.example</a>)]'],
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
    ['https://a.example/*x*_y_', '[<a https://a.example/*x*_y_>https://a.example/*x*_y_</a>]'],
    [
      '**https://a.example** www.b.example',
      '[<strong><a https://a.example/>https://a.example</a></strong> <a https://www.b.example/>www.b.example</a>]',
    ],
    [
      '[**a** b](https://a.example "title") <https://b.example>',
      '[<a https://a.example/ "title"><strong>a</strong> b</a> <a https://b.example/>https://b.example</a>]',
    ],
    [
      '[https://a.example](https://b.example)',
      '[<a https://b.example/ really b.example>https://a.example</a>]',
    ],
    ['[](https://a.example (b))', '[<a https://a.example/ "b">https://a.example/</a>]'],
    ['![a](https://a.example/b.png)', '[<a https://a.example/b.png>a</a>]'],
    ['me@a.example', '[<a mailto:me@a.example>me@a.example</a>]'],
  ])('the links of %j [MARKUP-5]', (source, expected) => {
    expect(outline(source)).toBe(expected);
  });
});

describe.each(Object.entries(typedTexts))('%s', (_, texts) => {
  it.each(texts)('%j is shown as its author means it [MARKUP-29]', (source, expected) => {
    expect(outline(source)).toBe(expected ?? `[${source}]`);
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
  [`\\\\\\${token}`, `[\\\\${token}]`],
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
      expect(removeMarks(parseMarkup(messageText))).toBe(`x${typedText}`);
    }),
  );
});

it.each([
  ['[google.](https://evil.example)[com](https://evil.example/2)', 2],
  ['**google.**[com](https://evil.example)', 1],
  ['[google](https://evil.example).com', 1],
  ['[google](https://evil.example)。com', 1],
  ['[$\\text{google.com}$](https://evil.example)', 1],
  ['~~goo~~[*gle*.com](https://evil.example)', 1],
  ['see [this](https://evil.example).', 0],
])('shows the host of %j, which looks like another address [MARKUP-6]', (source, hosts) => {
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
    '<quote>[asked]</quote>[answered]<list><li ->[item]</li></list>[after]',
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
        if (block.kind === 'list') {
          return 1 + Math.max(...block.items.map((item) => countDepth(item.blocks)));
        }
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

const plainPieces =
  '2 * ** _ ~~ \\ [ ] ) ( ! < > - # | |-| --- \n \n\n \t a bc x1 . : @ :// http:// www. a@b.c https://a.b/ é 字 😀 &amp; <b> " \' \u202b \u2066'
    .split(' ')
    .concat(' ', '  ', '> ', '- ', '# ');
const otherPieces =
  '` ``` $ $$ ]( ](https://c.d) javascript: \\( \\) \\[ \\] \\begin{align} \\end{align}'
    .split(' ')
    .concat('1. ', '7) ', '007. ', '- 3 ');

it('loses no letter or digit of any text [MARKUP-29]', () => {
  const removePunctuation = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
  // The address of a link is not shown.
  const texts = createTexts(...plainPieces, ...otherPieces).filter((text) => !text.includes(']('));
  fc.assert(
    fc.property(texts, (source) => {
      const shownTexts = listTexts(parseMarkup(source)).map(({ text }) => text);
      const shownLetters = removePunctuation(shownTexts.join(''));
      // The host of a link can be shown in addition.
      let offset = 0;
      for (const character of removePunctuation(source)) {
        offset = shownLetters.indexOf(character, offset) + 1;
        expect(offset).toBeGreaterThan(0);
      }
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
