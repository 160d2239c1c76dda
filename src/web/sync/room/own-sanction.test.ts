import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOwnSanction } from './own-sanction.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a mute that ends later than a timer can wait lasts until then', () => {
  const ownSanction = createOwnSanction(Date.now, () => undefined);
  const lengthMs = 2 ** 31 + 1000;
  ownSanction.set({ kind: 'mute', until: Date.now() + lengthMs, reason: 'Not here.' });

  vi.advanceTimersByTime(lengthMs - 1);
  expect(ownSanction.current()?.kind).toBe('mute');
  vi.advanceTimersByTime(1);

  expect(ownSanction.current()).toBeNull();
});
