import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

/** Shows the notice twice after a page load, one after the other. */
async function showTwice(storage: Pick<StorageManager, 'persist'> | undefined): Promise<string[]> {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('navigator', { storage });
  vi.resetModules();
  const { useMayLoseUnsent } = await import('./use-may-lose-unsent.ts');
  const Notice = () => String(useMayLoseUnsent(true));
  const texts = [];
  for (let mountCount = 0; mountCount < 2; mountCount += 1) {
    const container = document.createElement('div');
    const root = createRoot(container);
    await act(async () => root.render(<Notice />));
    texts.push(container.textContent);
    act(() => root.unmount());
  }
  return texts;
}

test('A browser that promises to keep unsent messages is asked once, and loses none [LOG-89]', async () => {
  const persist = vi.fn<() => Promise<boolean>>(() => Promise.resolve(true));

  expect(await showTwice({ persist })).toEqual(['false', 'false']);

  expect(persist).toHaveBeenCalledOnce();
});

test.each([
  ['refuses', { persist: () => Promise.resolve(false) }],
  ['fails', { persist: () => Promise.reject(new TypeError('opaque origin')) }],
  ['cannot be asked', undefined],
])('A browser that %s may delete unsent messages [LOG-89]', async (_, storage) => {
  expect(await showTwice(storage)).toEqual(['true', 'true']);
});
