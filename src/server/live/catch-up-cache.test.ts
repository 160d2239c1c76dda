import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import type * as CatchUp from '#server/chat/messages/catch-up.ts';
import type { Database } from '#server/store/tables.ts';
import { createCatchUpCache, type RoomSnapshot } from './catch-up-cache.ts';

const classId = 'AAAAAAAAAAAAAAAA';
const takeSnapshot = vi.hoisted(() => vi.fn<typeof CatchUp.takeSnapshot>());
const replayPage = vi.hoisted(() => vi.fn<typeof CatchUp.replayPage>());
vi.mock('#server/chat/messages/catch-up.ts', () => ({ takeSnapshot, replayPage }));

beforeEach(() => {
  takeSnapshot.mockReset();
  replayPage.mockReset();
  replayPage.mockImplementation(async (_db, _classId, position, upTo) => ({
    from: position.seq + 1,
    to: upTo,
    lastId: 'entry--1',
    items: [],
  }));
  takeSnapshot.mockImplementation(async (_db, _classId, seq) => ({
    seq,
    lastId: 'entry--1',
    messages: [],
    personas: [],
    hasOlder: false,
  }));
});

const createCache = (ttlMs = 60_000) => createCatchUpCache(null as unknown as Database, { ttlMs });

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Whether the room is still in memory if only the cache can hold it. */
async function isInMemory(room: WeakRef<RoomSnapshot>): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return room.deref() !== undefined;
}

test('a room is read and encoded once for all who open it at the same seq [LOG-6]', async () => {
  const cache = createCache();
  const [firstSnapshot, secondSnapshot] = await Promise.all([
    cache.getSnapshot(classId, 1),
    cache.getSnapshot(classId, 1),
  ]);
  expect(secondSnapshot).toBe(firstSnapshot);
  expect(await cache.getSnapshot(classId, 1)).toBe(firstSnapshot);
  expect(await cache.getSnapshot(classId, 2)).not.toBe(firstSnapshot);
  expect(takeSnapshot).toHaveBeenCalledTimes(2);
});

test('an unused snapshot is evicted from memory after its maximum age [WIRE-16]', async () => {
  const cache = createCache(1500);
  const room = new WeakRef(await cache.getSnapshot(classId, 1));
  expect(await isInMemory(room)).toBe(true);
  await sleep(2000);
  expect(await isInMemory(room)).toBe(false);
});

test('a changed room is not cached, even if it changed during the read [WIRE-16]', async () => {
  const cache = createCache();
  const room = new WeakRef(await cache.getSnapshot(classId, 1));
  cache.invalidate(classId);
  expect(await isInMemory(room)).toBe(false);
  const reading = cache.getSnapshot(classId, 1);
  cache.invalidate(classId);
  const read = await reading;
  expect(await cache.getSnapshot(classId, 1)).not.toBe(read);
});

test('members who missed the same changes share their pages until one is edited or deleted [LOG-6, WIRE-16]', async () => {
  const cache = createCache();
  const position = { seq: 3, id: 'entry--1' };
  const getMissed = () => cache.getMissedPage(classId, position, 9, 9);
  const [firstPage, secondPage] = await Promise.all([getMissed(), getMissed()]);
  expect(secondPage).toBe(firstPage);
  const deletedItem = { kind: 'deleted', seq: 10, id: 'entry--2', messageId: '' } as const;
  cache.update(classId, [{ ...deletedItem, kind: 'posted' } as never]);
  expect(await getMissed()).toBe(firstPage);
  cache.update(classId, [deletedItem]);
  const reading = getMissed();
  cache.invalidate(classId);
  expect(await getMissed()).not.toBe(await reading);
  expect(replayPage).toHaveBeenCalledTimes(3);
});
