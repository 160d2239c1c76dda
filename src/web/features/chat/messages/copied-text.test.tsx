// A message on the clipboard: what its author typed, without the marks that the page draws.
import { act } from 'react';
import { expect, test } from 'vitest';
import { markupParser } from '#web/markup/markup-parser.ts';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { toCopiedText } from './copied-text.ts';

const { root, container } = setUpRoot();

async function copy(text: string) {
  await markupParser.load();
  await act(async () =>
    root.render(
      <DialogsProvider>
        <MessageText text={text} tabIndex={-1} />
      </DialogsProvider>,
    ),
  );
  return toCopiedText([{ heading: 'Calm Owl, 8:30 AM', content: container, additions: [] }]);
}

test.each([
  ['3. use induction\n7. same as 3', '3. use induction\n7. same as 3'],
  ['007) a', '007) a'],
  ['- a\n  - b\n    - c\n* d', '- a\n  - b\n    - c\n* d'],
  ['1. one\n   two\n   - three', '1. one\n   two\n   - three'],
  ['> a\n> > b\n> c\nd', '> a\n> > b\n> c\nd'],
  ['> - a\n> - b', '> - a\n> - b'],
  ['```python\nif x:\n    y\n```\nend', 'if x:\n    y\nend'],
  ['**a** *b* `c  d` ~~e~~', 'a b c  d e'],
  ['a $x^2$ b\n$$\ny\n$$\nc', 'a $x^2$ b\n$$ y $$\nc'],
  ['| A | B |\n|---|---|\n| $x$ | c |', 'A\tB\n$x$\tc'],
  ['a\n$$y$$\nb', 'a\n$$y$$\nb'],
  ['It is ||42||.', 'It is ||…||.'],
  ['# T\na\n\nb\nc', 'T\na\n\nb\nc'],
  ['[here](https://a.example) https://b.example', 'here https://b.example'],
])('%j is copied as %j [MARKUP-13]', async (typed, copied) => {
  expect((await copy(typed)).text).toBe(copied);
});

test.each([
  [
    '3. **a**\n4. b',
    '<ol><li value="3"><p><strong>a</strong></p></li><li value="4"><p>b</p></li></ol>',
  ],
  ['> a\n> b', '<blockquote><p>a<br>b</p></blockquote>'],
  ['```\nif x:\n  <y>\n```', '<pre><code>if x:\n  &lt;y&gt;</code></pre>'],
  ['[a](https://a.example/?b&c)', '<p><a href="https://a.example/?b&amp;c">a</a></p>'],
])('%j has the HTML %j on the clipboard [MARKUP-13]', async (typed, html) => {
  expect((await copy(typed)).html).toBe(html);
});

test('several messages are copied with authors and times, and with what is not text [MARKUP-13]', () => {
  const say = (text: string) => document.createRange().createContextualFragment(`<p>${text}</p>`);

  const { text, html } = toCopiedText([
    { heading: 'Calm Owl, 8:30 AM', content: say('a'), additions: ['- yes', '- no'] },
    { heading: 'Búho G2, 8:31 AM', content: null, additions: ['Picture: a graph'] },
  ]);

  expect(text).toBe('Calm Owl, 8:30 AM\na\n- yes\n- no\n\nBúho G2, 8:31 AM\nPicture: a graph');
  expect(html).toBe(
    '<p><b>Calm Owl, 8:30 AM</b></p><p>a</p><p>- yes</p><p>- no</p><p><b>Búho G2, 8:31 AM</b></p><p>Picture: a graph</p>',
  );
});
