import { act } from 'react';
import { expect, test, vi } from 'vitest';
import { setUpRoot } from './testing/set-up-root.ts';
import { useEscape } from './use-escape.ts';

const { root } = setUpRoot();

function Panel({ onClose }: { onClose: () => void }) {
  useEscape(true, onClose);
  return <input />;
}

test('Escape closes a panel, but not while an input method composes [SEND-6]', async () => {
  const close = vi.fn<() => void>();
  await act(async () => root.render(<Panel onClose={close} />));
  const press = (options: KeyboardEventInit) =>
    document
      .querySelector('input')!
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, ...options }));
  press({ isComposing: true });
  // Safari ends a composition with this code.
  press({ keyCode: 229 });
  expect(close).not.toHaveBeenCalled();
  press({});
  expect(close).toHaveBeenCalledOnce();
});
