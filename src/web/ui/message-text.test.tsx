import { act } from 'react';
import { expect, test } from 'vitest';
import { markupParser } from '#web/markup/markup-parser.ts';
import { MessageText } from './message-text.tsx';
import { setUpRoot } from './testing/set-up-root.ts';

const { root, container } = setUpRoot();

test.each([
  ['a space', 'Take $$x$$ and then', 'and then'],
  ['a line break', 'Take\n$$x$$\nand then', 'and then'],
  ['an indented line', '$$x$$ \n  and then', '  and then'],
  ['an empty line', '$$x$$\n\nand then', '\nand then'],
  ['a full stop, which stays in its line', 'Take $$x$$. And', 'And'],
])(
  'text after a formula with its own line begins its line also after %s [MARKUP-10]',
  async (_, text, end) => {
    await markupParser.load();

    await act(async () => root.render(<MessageText text={text} tabIndex={-1} />));

    const formula = container.querySelector('[class*=display]');
    const ending = container.textContent.split(formula?.textContent ?? '').at(-1);
    expect(ending).toBe(end);
  },
);

test.each([
  ['in a line', 'It is ||**42**||.', '42'],
  ['of several lines', '||\n- one\n- two\n||', 'onetwo'],
  ['in a long text as typed', `||42|| ${'[ '.repeat(401)}`, '42'],
])(
  'a spoiler %s is not in the page until its button is pressed, and then has the focus [MARKUP-31]',
  async (_, text, hidden) => {
    await markupParser.load();
    act(() => root.render(<MessageText text={text} tabIndex={0} />));
    const button = container.querySelector('button');
    expect(button?.textContent).toBe('Hidden, press to show');
    expect(container.textContent).not.toContain(hidden);

    act(() => button?.click());

    expect(container.querySelector('button')).toBe(null);
    expect(document.activeElement?.textContent).toBe(hidden);
  },
);
