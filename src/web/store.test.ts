import { afterEach, expect, test, vi } from 'vitest';
import { createStore } from './store.ts';

afterEach(() => void vi.unstubAllGlobals());

test('an error of a listener is reported, and stops neither the next listener nor the code that changes the store [WIRE-45]', async () => {
  const reported = vi.fn<(error: unknown) => void>();
  vi.stubGlobal('reportError', reported);
  const error = new Error('This view is broken.');
  const store = createStore(1);
  const seenValues: number[] = [];
  store.subscribe(() => {
    throw error;
  });
  store.subscribe(() => seenValues.push(store.getSnapshot()));

  store.set(2);
  store.set(3);
  await Promise.resolve();

  expect(seenValues).toEqual([2, 3]);
  expect(reported.mock.calls).toEqual([[error], [error]]);
});
