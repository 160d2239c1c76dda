import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Sanction } from '#contract/entities.ts';
import { createOwnSanction } from './own-sanction.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createMute = (endsAt: number): Sanction => ({
  kind: 'mute',
  until: endsAt,
  reason: 'Not here.',
});
const removal: Sanction = { kind: 'removed', until: null, reason: 'Threats.' };

function start() {
  const changes: { isRemoved: boolean; wasRemoved: boolean }[] = [];
  const ownSanction = createOwnSanction(Date.now, (isRemoved, wasRemoved) => {
    changes.push({ isRemoved, wasRemoved });
  });
  return { ownSanction, changes };
}

test('a mute ends by the clock of the device, and its end is a change', () => {
  const { ownSanction, changes } = start();
  ownSanction.set(createMute(Date.now() + 60_000));

  vi.advanceTimersByTime(59_999);
  expect(ownSanction.current()?.kind).toBe('mute');
  vi.advanceTimersByTime(1);

  expect(ownSanction.current()).toBeNull();
  expect(changes).toHaveLength(2);
});

test('a mute that ends later than a timer can wait lasts until then', () => {
  const { ownSanction } = start();
  const lengthMs = 2 ** 31 + 1000;
  ownSanction.set(createMute(Date.now() + lengthMs));

  vi.advanceTimersByTime(lengthMs - 1);
  expect(ownSanction.current()?.kind).toBe('mute');
  vi.advanceTimersByTime(1);

  expect(ownSanction.current()).toBeNull();
});

test('a mute whose time has passed is none', () => {
  const { ownSanction } = start();
  ownSanction.set(createMute(Date.now() - 1));
  expect(ownSanction.current()).toBeNull();
});

test('a removal and its end are told apart from other sanctions', () => {
  const { ownSanction, changes } = start();
  ownSanction.set(removal);
  ownSanction.set(null);
  expect(changes).toEqual([
    { isRemoved: true, wasRemoved: false },
    { isRemoved: false, wasRemoved: true },
  ]);
});
