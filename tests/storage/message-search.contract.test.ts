// Compares searches in the database with a scan of all texts, while messages are posted, edited and deleted.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findMarks, parseQuery } from '#contract/message-matches.ts';
import type { Actor } from '#server/chat/members/member.ts';
import { searchMessages } from '#server/features/message-search/message-search.ts';
import { deleteMessage, editMessage, postMessage } from '#server/chat/messages/messages.ts';
import { createRandom, type Random } from '#tests/support/random.ts';
import { addAccount, addClass, openStorage, enroll, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

interface Room {
  author: Actor;
  /** The present texts by message id. */
  texts: Map<string, { seq: number; text: string }>;
}

async function openRoom(): Promise<Room> {
  const classId = await addClass(storage);
  const accountId = await addAccount(storage);
  await storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), 'everything');
  return { author: { accountId, classId }, texts: new Map() };
}

async function say({ texts, author }: Room, text: string): Promise<void> {
  const id = randomUUID();
  const { seq } = await storage.commits.write(
    (unitOfWork) => postMessage(unitOfWork, author, { id, text }),
    'everything',
  );
  texts.set(id, { seq, text: text.trim() });
}

/** All hits, as seq, text and marks, and the `nextBefore` of each page. */
async function searchAll({ author: { classId } }: Room, query: string, limit: number) {
  const { seq: head } = await storage.db
    .selectFrom('classes')
    .select('seq')
    .where('classId', '=', classId)
    .executeTakeFirstOrThrow();
  const hits = [];
  const ends: (number | null)[] = [];
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
    ends.push(beforeSeq);
  }
  return { hits, ends };
}

function scanAll({ texts }: Room, query: string) {
  return [...texts.values()]
    .toSorted((first, second) => second.seq - first.seq)
    .map(({ seq, text }) => [seq, text, findMarks(text, parseQuery(query))])
    .filter(([, , marks]) => marks !== null);
}

const vocabulary =
  'the exam is on friday and Café élan don’t CS146 room 007 C++ Wi-Fi 1,000 東京大学 東 대학교에서 экзамен วันสอบ'.split(
    ' ',
  );
const createText = (random: Random) =>
  Array.from({ length: random.int(1, 12) }, () => random.pick(vocabulary)).join(
    random.chance(0.1) ? '' : ' ',
  );

const seed = randomBytes(4).toString('hex');
test(`a search finds what a scan finds, while messages are posted, edited and deleted; seed ${seed} [FIND-1, FIND-6]`, async () => {
  const random = createRandom(seed);
  const room = await openRoom();
  const other = await openRoom();
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 60 }, () => say(room, createText(random))));
    await say(other, createText(random));
    for (const [id, message] of [...room.texts]) {
      if (!random.chance(0.1)) continue;
      const { author } = room;
      if (random.chance(0.5)) {
        await storage.commits.write((unit) => deleteMessage(unit, author, id), 'everything');
        room.texts.delete(id);
        continue;
      }
      const text = createText(random);
      await storage.commits.write((unit) => editMessage(unit, author, id, text), 'everything');
      message.text = text.trim();
    }
    for (let n = 0; n < 12; n++) {
      const word = random.pick(vocabulary);
      const query = random.chance(0.5) ? word.slice(0, random.int(1, word.length)) : word;
      const { hits } = await searchAll(room, query, random.pick([1, 7, 50]));
      expect(hits, query).toEqual(scanAll(room, query));
    }
  }
});

test('a search that finds nothing in long texts has short pages [FIND-17]', async () => {
  const room = await openRoom();
  await say(room, 'é1 é2 é3 xé4');
  // Each text has the parts of all words of the query, so only folding it shows that it does not match.
  for (let n = 0; n < 160; n++) await say(room, 'é1 é2 é3 xé4 '.repeat(285));

  const { hits, ends } = await searchAll(room, 'é1 é2 é3 é4', 50);

  expect(hits).toEqual([]);
  // A call folds at most 600,000 characters.
  expect(ends[0]).toBeGreaterThanOrEqual(161 - 150);
  expect(ends.at(-1)).toBeNull();
});
