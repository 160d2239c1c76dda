// Read positions of one member at two nodes, between which Redis loses every notice.
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { createReadMarks, type ReadMarks, type Reader } from '#server/chat/members/read-marks.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

const createKey = () => createSecretKey(randomBytes(32));
const keys = { ids: createKey(), positions: createKey() };

let storage: OpenedStorage;
let reader: Reader;
let first: ReadMarks;
let second: ReadMarks;
beforeAll(async () => {
  storage = await openStorage();
});
beforeEach(async () => {
  first = openNode();
  second = openNode();
  reader = first.deriveReader(await addClass(storage), createRandomId(), createRandomId());
});
afterAll(() => storage.close());

function openNode(): ReadMarks {
  const { db, commits } = storage;
  return createReadMarks({ db, commits, keys, onChanged: () => {}, listen: () => {} });
}

test('the later of two positions that two nodes save stays [NODE-26]', async () => {
  first.save(reader, 5);
  second.save(reader, 9);
  await second.stop();

  await first.stop();

  expect(await openNode().find(reader)).toBe(9);
});

test('a member who marks messages as unread moves the position back, at any node [NODE-26]', async () => {
  second.save(reader, 9);
  await second.stop();

  first.save(reader, 3, true);
  first.save(reader, 4);
  await first.stop();

  expect(await openNode().find(reader)).toBe(4);
});

test('a member who left and joined again does not get the position that another node still had [LEAVE-13, NODE-26]', async () => {
  first.save(reader, 5);
  second.delete(reader);

  expect(await second.open(reader, 20)).toBe(20);

  await second.stop();
  await first.stop();

  expect(await openNode().find(reader)).toBe(20);
});
