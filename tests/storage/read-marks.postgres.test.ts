// Read positions of one member at two nodes. Redis loses every notice, unless a test delivers them.
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import {
  createReadMarks,
  type ReadMarkDependencies,
  type ReadMarks,
  type Reader,
} from '#server/chat/members/read-marks.ts';
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

type Node = Pick<ReadMarkDependencies, 'onChanged' | 'listen'>;

function openNode({ onChanged = () => {}, listen = () => {} }: Node = {}): ReadMarks {
  const { db, commits } = storage;
  return createReadMarks({ db, commits, keys, onChanged, listen });
}

/** Two nodes whose notices arrive when the test delivers them, so that they can cross each other. */
function openConnectedNodes() {
  const listeners: Parameters<NonNullable<Node['listen']>>[0][] = [];
  let delayedNotices: (() => void)[] = [];
  const nodes = [0, 1].map((number) =>
    openNode({
      onChanged: (...notice) => delayedNotices.push(() => listeners[1 - number]!(...notice)),
      listen: (listener) => void (listeners[number] = listener),
    }),
  ) as [ReadMarks, ReadMarks];
  const deliver = () => {
    for (const notify of delayedNotices) notify();
    delayedNotices = [];
  };
  return { nodes, deliver };
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

test.each([
  { saves: [5, 9], lastWriter: 0 },
  { saves: [9, 5], lastWriter: 0 },
  { saves: [9, 5], lastWriter: 1 },
] as const)(
  'the later of two positions stays if the notices cross: $saves, node $lastWriter writes last [NODE-26]',
  async ({ saves, lastWriter }) => {
    const { nodes, deliver } = openConnectedNodes();
    for (const [number, seq] of saves.entries()) nodes[number]!.save(reader, seq);

    deliver();

    for (const node of nodes) expect(await node.find(reader)).toBe(9);
    await nodes[1 - lastWriter]!.stop();
    await nodes[lastWriter].stop();
    for (const node of nodes) expect(await node.find(reader)).toBe(9);
  },
);

test('a position that a member moves back at one node replaces what another node has not written [NODE-26]', async () => {
  const { nodes, deliver } = openConnectedNodes();
  nodes[0].save(reader, 9);
  deliver();

  nodes[1].save(reader, 3, true);
  deliver();

  await nodes[1].stop();
  await nodes[0].stop();
  for (const node of [...nodes, openNode()]) expect(await node.find(reader)).toBe(3);
});

test('a member who left and joined again does not get the position that another node still had [LEAVE-13, NODE-26]', async () => {
  first.save(reader, 5);
  second.delete(reader);

  expect(await second.open(reader, 20)).toBe(20);

  await second.stop();
  await first.stop();

  expect(await openNode().find(reader)).toBe(20);
});
