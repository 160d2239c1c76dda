import { expect, it } from 'vitest';
import { toExcerpt } from './excerpt.ts';

const showExcerpt = (...[text, marks]: Parameters<typeof toExcerpt>) =>
  toExcerpt(text, marks)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('');

it('shows a short text in full, with its matches marked [LAYOUT-51]', () => {
  expect(
    showExcerpt('An AVL tree is a tree', [
      [3, 6],
      [17, 21],
    ]),
  ).toBe('An [AVL] tree is a [tree]');
  expect(showExcerpt('tree', [[0, 4]])).toBe('[tree]');
  expect(showExcerpt('No match', [])).toBe('No match');
});

it('shows a part of a long text around the first match, cut between words [LAYOUT-51]', () => {
  const text = `${'before '.repeat(100)}tree ${'after '.repeat(100)}tree`;
  const parts = showExcerpt(text, [
    [700, 704],
    [1305, 1309],
  ]);
  expect(parts).toMatch(/^… (before )+\[tree\] (after )+after …$/);
  expect(parts.length).toBeLessThan(300);
});

it('cuts a text without spaces between characters [LAYOUT-51]', () => {
  for (const filler of ['字', '😀', 'a😀']) {
    const text = `${filler.repeat(300)}树${filler.repeat(300)}`;
    const index = text.indexOf('树');
    const parts = showExcerpt(text, [[index, index + 1]]);
    expect(parts.isWellFormed()).toBe(true);
    expect(parts).toContain('[树]');
  }
});
