import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Sanction } from '#contract/entities.ts';
import { createOwnSanction } from './own-sanction.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const muteUntil = (until: number): Sanction => ({ kind: 'mute', until, reason: 'Not here.' });
const removal: Sanction = { kind: 'removed', until: null, reason: 'Threats.' };

function start() {
  const changes: { isRemoved: boolean; wasRemoved: boolean }[] = [];
  const own = createOwnSanction(Date.now, (isRemoved, wasRemoved) => {
    changes.push({ isRemoved, wasRemoved });
  });
  return { own, changes };
}

test('a mute ends by the clock of the device, and its end is a change', () => {
  const { own, changes } = start();
  own.set(muteUntil(Date.now() + 60_000));

  vi.advanceTimersByTime(59_999);
  expect(own.current()?.kind).toBe('mute');
  vi.advanceTimersByTime(1);

  expect(own.current()).toBeNull();
  expect(changes).toHaveLength(2);
});

test('a mute that ends later than a timer can wait lasts until then', () => {
  const { own } = start();
  const lengthMs = 2 ** 31 + 1000;
  own.set(muteUntil(Date.now() + lengthMs));

  vi.advanceTimersByTime(lengthMs - 1);
  expect(own.current()?.kind).toBe('mute');
  vi.advanceTimersByTime(1);

  expect(own.current()).toBeNull();
});

test('a mute whose time has passed is none', () => {
  const { own } = start();
  own.set(muteUntil(Date.now() - 1));
  expect(own.current()).toBeNull();
});

test('a removal and its end are told apart from other sanctions', () => {
  const { own, changes } = start();
  own.set(removal);
  own.set(null);
  expect(changes).toEqual([
    { isRemoved: true, wasRemoved: false },
    { isRemoved: false, wasRemoved: true },
  ]);
});
