import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import type * as CatchUp from '../domain/catch-up.ts';
import type { Database } from '../storage/database.ts';
import { createRooms, type RoomAtSeq } from './rooms.ts';

const classId = 'AAAAAAAAAAAAAAAA';
const takeSnapshot = vi.hoisted(() => vi.fn<typeof CatchUp.takeSnapshot>());
vi.mock('../domain/catch-up.ts', () => ({ takeSnapshot }));

beforeEach(() => {
  takeSnapshot.mockReset();
  takeSnapshot.mockImplementation(async (_db, _classId, seq) => ({
    seq,
    lastId: 'entry--1',
    messages: [],
    personas: [],
    hasOlder: false,
  }));
});

const createOwn = (ttlMs?: number) => createRooms(null as unknown as Database, ttlMs);

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Whether the room is still in memory if only the cache can hold it. */
async function isHeld(room: WeakRef<RoomAtSeq>): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return room.deref() !== undefined;
}

test('a room is read and encoded once for all who open it at the same seq [LOG-7]', async () => {
  const rooms = createOwn();
  const [one, other] = await Promise.all([rooms.at(classId, 1), rooms.at(classId, 1)]);
  expect(other).toBe(one);
  expect(await rooms.at(classId, 1)).toBe(one);
  expect(await rooms.at(classId, 2)).not.toBe(one);
  expect(takeSnapshot).toHaveBeenCalledTimes(2);
});

test('a room that nobody opens any more is gone from memory after its time [WIRE-19]', async () => {
  const rooms = createOwn(1500);
  const room = new WeakRef(await rooms.at(classId, 1));
  expect(await isHeld(room)).toBe(true);
  await sleep(2000);
  expect(await isHeld(room)).toBe(false);
});

test('nothing of a room is kept once it has changed, even if it is being read [WIRE-19]', async () => {
  const rooms = createOwn();
  const room = new WeakRef(await rooms.at(classId, 1));
  rooms.forget(classId);
  expect(await isHeld(room)).toBe(false);
  const reading = rooms.at(classId, 1);
  rooms.forget(classId);
  const read = await reading;
  expect(await rooms.at(classId, 1)).not.toBe(read);
});
