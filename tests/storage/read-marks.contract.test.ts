// Read positions of one member at two nodes. Redis loses every notice, unless a test delivers them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { removeMember } from '#server/chat/members/joining.ts';
import type { Actor } from '#server/chat/members/member.ts';
import {
  ReadMarks,
  type ReadMarkNotice,
  type ReadMarkNotices,
} from '#server/chat/members/read-marks.ts';
import { Registers } from '#server/store/registers.ts';
import {
  addAccount,
  addClass,
  enroll,
  openStorage,
  testKeys,
  type OpenedStorage,
} from './opened-storage.ts';

let storage: OpenedStorage;
let reader: Actor;
let first: ReadMarks;
let second: ReadMarks;
beforeAll(async () => {
  storage = await openStorage();
});
beforeEach(async () => {
  first = openNode();
  second = openNode();
  reader = await addMember(await addClass(storage));
});
afterAll(() => storage.close());

async function addMember(classId: string): Promise<Actor> {
  const accountId = await addAccount(storage);
  await storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), {
    classId,
    accountId,
  });
  return { classId, accountId };
}

type Node = Pick<ReadMarkNotices, 'send' | 'listen'>;

function openNode(node: Node = { send() {}, listen() {} }): ReadMarks {
  const { db, commits } = storage;
  const notices = { ...node, deriveAccountKey: (accountId: string) => `hash of ${accountId}` };
  return new ReadMarks(db, commits, new Registers(testKeys.registers), notices);
}

/** Two nodes whose notices arrive when the test delivers them, so that they can cross each other. */
function openConnectedNodes() {
  const listeners: ((notice: ReadMarkNotice) => void)[] = [];
  let delayedNotices: (() => void)[] = [];
  const nodes = [0, 1].map((number) =>
    openNode({
      send: (notice) => void delayedNotices.push(() => listeners[1 - number]!(notice)),
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

test('two nodes that write the positions of one class at the same time lose none [NODE-26]', async () => {
  const readers = [reader];
  for (let n = 0; n < 9; n++) readers.push(await addMember(reader.classId));
  for (const [n, member] of readers.entries()) (n % 2 === 0 ? first : second).save(member, n);

  await Promise.all([first.stop(), second.stop()]);

  const node = openNode();
  const positions = await Promise.all(readers.map((member) => node.find(member)));
  expect(positions).toEqual(readers.map((_, n) => n));
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

test('a node writes no position of an account that has left at another node [LEAVE-13, NODE-26]', async () => {
  const other = await addMember(reader.classId);
  for (const member of [reader, other]) first.save(member, 5);
  await storage.commits.write(
    (unitOfWork) => removeMember(unitOfWork, reader.accountId, reader.classId),
    reader,
  );

  await first.stop();

  const registers = new Registers(testKeys.registers);
  const entries = await registers.read(storage.db, 'readMarks', reader.classId);
  expect([...entries.keys()]).toEqual([other.accountId]);
});

test('two classes that write their positions at the same time share no transaction with each other or with a message [ANON-40]', async () => {
  const { classId } = reader;
  const otherReader = await addMember(await addClass(storage));
  first.save(reader, 5);
  second.save(otherReader, 5);
  const batchSizes = storage.batchSizes.length;

  await Promise.all([
    first.stop(),
    storage.commits.write(({ db }) => appendToLog(db, classId, 'deleted', 'message'), { classId }),
    second.stop(),
  ]);

  expect(storage.batchSizes.slice(batchSizes)).toEqual([1, 1, 1]);
});

test('a position of a class that was erased leaves no row [ADMIN-12]', async () => {
  const { classId } = reader;
  first.save(reader, 5);
  await storage.database.query(`delete from registers where "classId" = '${classId}'`);

  await first.stop();

  const rows = await storage.db
    .selectFrom('registers')
    .select('kind')
    .where('classId', '=', classId)
    .execute();
  expect(rows).toEqual([]);
});

test('the size of the positions of a class does not tell how many members have read, or how far [ANON-40]', async () => {
  const { classId } = reader;
  for (let n = 0; n < 30; n++) await addMember(classId);
  const measure = async () => {
    await first.stop();
    const [row] = await storage.db
      .selectFrom('registers')
      .select('content')
      .where('classId', '=', classId)
      .where('kind', '=', 'readMarks')
      .execute();
    return row!.content.length;
  };
  first.save(reader, 1);
  const size = await measure();

  for (const accountId of (await openNodeRegister(classId)).keys()) {
    first.save({ classId, accountId }, 9_999_999);
  }

  expect(await measure()).toBe(size);
});

const openNodeRegister = (classId: string) =>
  new Registers(testKeys.registers).read(storage.db, 'readMarks', classId);
