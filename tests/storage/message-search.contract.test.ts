// Compares searches through the index with a scan of all texts, while messages are posted, edited and deleted.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '#server/chat/members/member.ts';
import { joinClass } from '#server/chat/members/joining.ts';
import { findMarks, parseQuery } from '#server/chat/messages/message-matches.ts';
import { searchMessages } from '#server/features/message-search/message-search.ts';
import { deleteMessage, editMessage, postMessage } from '#server/chat/messages/messages.ts';
import { blockLength, indexBlock } from '#server/chat/messages/word-index.ts';
import { listIndexedBlocks } from '#server/chat/messages/message-words-queries.ts';
import { createRandom, type Random } from '#tests/support/random.ts';
import {
  addAccount,
  addClass,
  openStorage,
  timesKey,
  type OpenedStorage,
} from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

const personaKey = createSecretKey(randomBytes(32));

async function addMember(classId: string): Promise<Actor> {
  const accountId = await addAccount(storage);
  await storage.commits.write(
    (unitOfWork) => joinClass(unitOfWork, timesKey, accountId, classId),
    'everything',
  );
  return { personaKey, accountId, classId };
}

interface Room {
  classId: string;
  actors: Actor[];
  /** The present texts by message id, with their seq and author. */
  texts: Map<string, { seq: number; text: string; author: Actor }>;
}

async function openRoom(): Promise<Room> {
  const classId = await addClass(storage);
  return {
    classId,
    actors: [await addMember(classId), await addMember(classId)],
    texts: new Map(),
  };
}

async function say({ texts }: Room, author: Actor, text: string): Promise<void> {
  const id = randomUUID();
  const { seq } = await storage.commits.write(
    (unitOfWork) => postMessage(unitOfWork, author, { id, text }),
    'everything',
  );
  texts.set(id, { seq, text: text.trim(), author });
}

const getHead = async (classId: string) =>
  (
    await storage.db
      .selectFrom('classes')
      .select('seq')
      .where('classId', '=', classId)
      .executeTakeFirstOrThrow()
  ).seq;

const listRows = ({ classId }: Room) =>
  storage.db
    .selectFrom('messageWords')
    .select(['bucket', 'block', 'entries'])
    .where('classId', '=', classId)
    .orderBy('bucket')
    .orderBy('block')
    .execute();

async function indexAll(classId: string): Promise<void> {
  const { db, commits } = storage;
  const complete = Math.floor(((await getHead(classId)) + 1) / blockLength);
  for (let block = 0; block < complete; block++) {
    expect(await indexBlock(db, commits, classId, block)).toBe(true);
  }
}

/** All hits of all pages, as seq, text and marks. */
async function searchAll(classId: string, query: string, limit: number) {
  const hits = [];
  const head = await getHead(classId);
  for (let beforeSeq: number | null = Number.MAX_SAFE_INTEGER; beforeSeq !== null;) {
    const page = await searchMessages(storage.db, classId, head, {
      query,
      beforeSeq,
      limit,
      maxBytes: 64 * 1024,
    });
    expect(page.hits.length).toBeLessThanOrEqual(limit);
    for (const { message, marks } of page.hits) hits.push([message.seq, message.text, marks]);
    expect(page.nextBefore ?? 0).toBeLessThan(beforeSeq);
    beforeSeq = page.nextBefore;
  }
  return hits;
}

function scanAll({ texts }: Room, query: string) {
  return [...texts.values()]
    .toSorted((first, second) => second.seq - first.seq)
    .map(({ seq, text }) => [seq, text, findMarks(text, parseQuery(query))])
    .filter(([, , marks]) => marks !== null);
}

const common =
  'the exam is on friday and Café élan don’t CS146 room 007 東京大学 東 京都 시험 экзамен วันสอบ';
const vocabulary = [...common.split(' '), ...Array.from({ length: 400 }, (_, n) => `w${n * 7919}`)];
const createText = (random: Random) =>
  Array.from({ length: random.int(1, 12) }, () =>
    random.chance(0.5) ? random.pick(vocabulary.slice(0, 19)) : random.pick(vocabulary),
  ).join(random.chance(0.1) ? '' : ' ');

function createQuery(random: Random): string {
  const words = Array.from({ length: random.int(1, 3) }, () => {
    const word = random.pick(vocabulary);
    return random.chance(0.5) ? word.slice(0, random.int(1, word.length)) : word;
  });
  return words.join(' ');
}

const seed = randomBytes(4).toString('hex');
test(`a search finds what a scan finds, while messages are posted, edited, deleted and indexed; seed ${seed} [FIND-1, FIND-4, FIND-5, FIND-6, FIND-8, FIND-9, FIND-10]`, async () => {
  const random = createRandom(seed);
  const room = await openRoom();
  const other = await openRoom();
  for (let round = 0; round < 4; round++) {
    await Promise.all(
      Array.from({ length: 400 }, async () => {
        const author = random.pick(room.actors);
        await say(room, author, createText(random));
        if (random.chance(0.1)) await say(other, random.pick(other.actors), createText(random));
      }),
    );
    if (round === 3 || random.chance(0.5)) await indexAll(room.classId);
    for (const [id, message] of [...room.texts]) {
      if (!random.chance(0.04)) continue;
      const { author } = message;
      if (random.chance(0.5)) {
        await storage.commits.write(
          (unitOfWork) => deleteMessage(unitOfWork, author, id),
          'everything',
        );
        room.texts.delete(id);
        continue;
      }
      const text = createText(random);
      await storage.commits.write(
        (unitOfWork) => editMessage(unitOfWork, author, id, text),
        'everything',
      );
      message.text = text.trim();
    }
    for (let n = 0; n < 12; n++) {
      const query = createQuery(random);
      const expected = scanAll(room, query);
      // Hundreds of pages of one message would only take long.
      const pageLength = expected.length > 60 ? 50 : random.pick([1, 7, 50]);
      expect(await searchAll(room.classId, query, pageLength), query).toEqual(expected);
    }
  }

  // The last changes have deleted indexes: now every block has one.
  await indexAll(room.classId);

  expect(await listIndexedBlocks(storage.db, room.classId)).not.toEqual([]);
  for (let n = 0; n < 12; n++) {
    const query = createQuery(random);
    expect(await searchAll(room.classId, query, 50), query).toEqual(scanAll(room, query));
  }
});

test('the index has the words of present messages, and nothing of their authors, order or time [FIND-9, FIND-11]', async () => {
  // The same texts by other authors, one class edited before and the other one after it was indexed.
  const firstRoom = await openRoom();
  const secondRoom = await openRoom();
  const createUniqueWord = (n: number) =>
    `unique${n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`;
  const texts = Array.from(
    { length: blockLength },
    (_, n) => `text ${n % 37} ${createUniqueWord(n)}`,
  );
  await Promise.all(texts.map((text) => say(firstRoom, firstRoom.actors[0]!, text)));
  await Promise.all(texts.map((text) => say(secondRoom, secondRoom.actors[1]!, text)));
  const change = async ({ texts: messages }: Room) => {
    const changes = [...messages].map(async ([id, { author }], n) => {
      if (n % 9 === 0) {
        await storage.commits.write(
          (unitOfWork) => deleteMessage(unitOfWork, author, id),
          'everything',
        );
      }
      if (n % 9 === 1) {
        await storage.commits.write(
          (unitOfWork) => editMessage(unitOfWork, author, id, `new ${n}`),
          'everything',
        );
      }
    });
    await Promise.all(changes);
  };
  await indexAll(firstRoom.classId);
  await change(firstRoom);

  await change(secondRoom);
  expect(await listRows(firstRoom)).toEqual([]);

  await indexAll(firstRoom.classId);
  await indexAll(secondRoom.classId);
  const rows = await listRows(firstRoom);
  expect(rows).toHaveLength(16);
  expect(rows).toEqual(await listRows(secondRoom));

  const words = rows.map(({ entries }) => entries).join('');
  for (const changedNumber of [9, 10]) {
    expect(words).not.toContain(`\n${createUniqueWord(changedNumber)}\t`);
  }
  expect(words).toContain(`\n${createUniqueWord(11)}\t`);
  for (const { accountId } of firstRoom.actors) expect(words).not.toContain(accountId);
});

test('a block whose message changes while it is indexed is indexed later [FIND-9]', async () => {
  const room = await openRoom();
  const author = room.actors[0]!;
  await Promise.all(
    Array.from({ length: blockLength }, (_, n) => say(room, author, `word${n} secret${n}`)),
  );
  const [[id, message] = ['', null]] = room.texts;
  const { commits, db } = storage;

  const isDone = await indexBlock(
    db,
    {
      async write(change) {
        await commits.write(
          (unitOfWork) => editMessage(unitOfWork, author, id, 'replaced'),
          'everything',
        );
        return commits.write(change, 'everything');
      },
    },
    room.classId,
    0,
  );
  expect(isDone).toBe(false);
  expect(await listIndexedBlocks(db, room.classId)).toEqual([]);

  message!.text = 'replaced';
  await indexAll(room.classId);
  expect(await searchAll(room.classId, 'secret', 50)).toHaveLength(scanAll(room, 'secret').length);
  expect(await searchAll(room.classId, 'replaced', 50)).toHaveLength(1);
});

/** A text with as many different words as a message can have. */
const createLongText = (n: number) =>
  Array.from({ length: 780 }, (_, word) => toLetters(n * 780 + word)).join(' ');
/** Four letters, different for each number. */
const toLetters = (n: number) =>
  [17576, 676, 26, 1]
    .map((place) => String.fromCharCode(97 + (Math.floor(n / place) % 26)))
    .join('');

test('an edit or a deletion of an indexed message only deletes the rows of its block [FIND-15]', async () => {
  const room = await openRoom();
  const author = room.actors[0]!;
  for (let n = 0; n < 2 * blockLength; n++) await say(room, author, `word${n}`);
  await indexAll(room.classId);
  const messageIds = [...room.texts.keys()];

  await storage.commits.write(
    (unitOfWork) => editMessage(unitOfWork, author, messageIds[0]!, 'replaced'),
    'everything',
  );
  expect(await listIndexedBlocks(storage.db, room.classId)).toEqual([1]);

  await storage.commits.write(
    (unitOfWork) => deleteMessage(unitOfWork, author, messageIds[1]!),
    'everything',
  );
  const rows = await listRows(room);
  expect(rows.map(({ block }) => block)).toEqual(Array.from({ length: 16 }, () => 1));
});

test('the index of a block is bounded, and a search finds each word of its messages [FIND-16]', async () => {
  const room = await openRoom();
  const author = room.actors[0]!;
  for (let n = 0; n < blockLength; n++) {
    // The longest texts, and texts with nearly as many words as the index takes of one message.
    await say(room, author, n % 4 === 0 ? createLongText(n) : createLongText(n).slice(0, 990));
  }
  await indexAll(room.classId);

  const lengths = (await listRows(room)).map(({ entries }) => entries.length);
  const sum = lengths.reduce((total, length) => total + length, 0);
  expect(sum).toBeGreaterThan(128 * 1024);
  // 256 Ki characters of words, and in each of 16 rows the positions of the messages whose words it does not have.
  expect(sum).toBeLessThan(256 * 1024 + 16 * (2 * blockLength + 3));
  for (const n of [0, 1, 2, 500, 801, 1020]) {
    const query = toLetters(n * 780 + 5);
    expect(await searchAll(room.classId, query, 50), query).toEqual(scanAll(room, query));
  }
});

test('a search that finds nothing in long texts has short pages [FIND-17]', async () => {
  const room = await openRoom();
  const author = room.actors[0]!;
  await say(room, author, 'é1 é2 é3 é4');
  // Each text has the parts of all words of the query, so only splitting it into words shows that it does not match.
  for (let n = 0; n < 100; n++) await say(room, author, 'é1x é2x é3x 4e '.repeat(266));

  const search = (beforeSeq: number) =>
    searchMessages(storage.db, room.classId, 101, {
      query: 'é1 é2 é3 é4',
      beforeSeq,
      limit: 50,
      maxBytes: 64 * 1024,
    });
  const first = await search(Number.MAX_SAFE_INTEGER);
  expect(first.hits).toEqual([]);
  // At most 64 KiB of texts are split into words, and each has nearly 5 KiB.
  expect(first.nextBefore).toBeGreaterThanOrEqual(101 - 14);
  expect(await searchAll(room.classId, 'é1 é2 é3 é4', 50)).toEqual(scanAll(room, 'é1 é2 é3 é4'));
});
