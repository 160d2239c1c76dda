import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { markupParser } from '#web/markup/markup-parser.ts';
import { MessageText } from './message-text.tsx';

test.each([
  ['a space', 'Take $$x$$ and then', 'and then'],
  ['a line break', 'Take\n$$x$$\nand then', 'and then'],
  ['an indented line', '$$x$$ \n  and then', '  and then'],
  ['an empty line', '$$x$$\n\nand then', '\nand then'],
  ['a full stop, which stays in its line', 'Take $$x$$. And', 'And'],
])(
  'text after a formula with its own line begins its line also after %s [MARKUP-10]',
  async (_, text, end) => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    await markupParser.load();
    const container = document.createElement('div');
    const root = createRoot(container);

    await act(async () => root.render(<MessageText text={text} tabIndex={-1} />));

    const formula = container.querySelector('[class*=display]');
    const ending = container.textContent.split(formula?.textContent ?? '').at(-1);
    act(() => root.unmount());
    expect(ending).toBe(end);
  },
);
