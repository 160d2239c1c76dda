// React in a page whose text nodes were replaced by `<font>` elements, as Chrome's translation does it.
import { act, type ReactNode } from 'react';
import { beforeAll, expect, test } from 'vitest';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { followTranslation } from './translated-text.ts';

const { root, container } = setUpRoot();

beforeAll(() => followTranslation(document));

async function translate(): Promise<void> {
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts.filter(({ data }) => data.trim() !== '')) {
    const font = document.createElement('font');
    font.appendChild(document.createElement('font')).textContent = text.data.toUpperCase();
    text.replaceWith(font);
  }
  await Promise.resolve();
}

const show = (content: ReactNode) => act(async () => root.render(<p>{content}</p>));

test.each<[string, ReactNode, ReactNode, string]>([
  ['a text alone', 'one', 'two', 'two'],
  ['a text next to another', <>a {1} c</>, <>a {2} c</>, 'A 2 C'],
  [
    'a text next to an element',
    <>
      a<b>b</b>
    </>,
    <>
      c<b>b</b>
    </>,
    'cB',
  ],
  [
    'a text that leaves',
    <>
      a{'+'}
      <b>b</b>
    </>,
    <>
      a{false}
      <b>b</b>
    </>,
    'AB',
  ],
  [
    'a text that comes in front',
    <>
      {false}
      {'a'}
    </>,
    <>
      {<b>b</b>}
      {'a'}
    </>,
    'bA',
  ],
  ['an element that comes between', <>a{null}c</>, <>a{<b>b</b>}c</>, 'AbC'],
  ['an element in place of a text', 'a', <b key="b">b</b>, 'b'],
  ['a text in place of an element', <>{<b>b</b>}c</>, <>a{'c'}</>, 'aC'],
  ['a text that becomes empty', <>{'a'}b</>, <>{''}b</>, 'B'],
])('%s changes in a translated page [LAYOUT-123]', async (_, before, after, expected) => {
  await show(before);
  await translate();
  expect(container.textContent).toBe(container.textContent.toUpperCase());

  await show(after);
  expect(container.textContent).toBe(expected);

  await translate();
  await show(before);
  await show(null);
  expect(container.textContent).toBe('');
});

test('a page that is no longer translated has its texts again [LAYOUT-123]', async () => {
  await show(<>a {1}</>);
  const texts = [...container.querySelectorAll('p')].flatMap(({ childNodes }) => [...childNodes]);
  await translate();

  const fonts = [...container.querySelectorAll('p > font')];
  for (const [n, font] of fonts.entries()) font.replaceWith(texts[n]!);
  await Promise.resolve();
  expect(container.textContent).toBe('a 1');

  await show(<>a {2}</>);
  expect(container.textContent).toBe('a 2');
});
