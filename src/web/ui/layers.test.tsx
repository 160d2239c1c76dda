// What closes a layer: Escape on a keyboard, Back on a touch device.
import { act } from 'react';
import { expect, test, vi } from 'vitest';
import { setUpRoot } from './testing/set-up-root.ts';
import { useBackToClose } from './use-back-to-close.ts';
import { useEscape } from './use-escape.ts';

const { root } = setUpRoot();

function Panel({ onClose }: { onClose: () => void }) {
  useEscape(true, onClose);
  return <input />;
}

function Sheet({ onClose }: { onClose: () => void }) {
  useBackToClose(onClose);
  return <p>A sheet</p>;
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

test('on a touch device Back closes the topmost of two layers [KEY-20]', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  const closeLower = vi.fn<() => void>();
  const closeUpper = vi.fn<() => void>();
  await act(async () => {
    root.render(
      <>
        <Sheet onClose={closeLower} />
        <Sheet onClose={closeUpper} />
      </>,
    );
  });
  expect(history.state).toHaveProperty('layer');
  // Back removes the extra entry of the history.
  history.replaceState(null, '');
  dispatchEvent(new PopStateEvent('popstate'));
  expect(closeUpper).toHaveBeenCalledOnce();
  expect(closeLower).not.toHaveBeenCalled();
});
