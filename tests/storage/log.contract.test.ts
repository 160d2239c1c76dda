import { afterAll, beforeAll, expect, test } from 'vitest';
import { replay, takeSnapshot } from '#server/chat/messages/catch-up.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

async function append(classId: string, times: number) {
  const writing = Array.from({ length: times }, () =>
    storage.commits.write(({ db }) => appendToLog(db, classId, 'deleted', 'x'), 'everything'),
  );
  return Promise.all(writing);
}

test('the seqs of a class have no gaps [LOG-1, LOG-86]', async () => {
  const classes = await Promise.all([1, 2, 3].map(() => addClass(storage)));
  const acknowledgedSeqs = new Map<string, number[]>(classes.map((classId) => [classId, []]));
  await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      const classId = classes[i % classes.length]!;
      const writing = storage.commits.write(async ({ db }) => {
        const { seq } = await appendToLog(db, classId, 'deleted', `m${i}`);
        if (i % 7 === 0) throw new Error('changed its mind');
        return seq;
      }, 'everything');
      acknowledgedSeqs.get(classId)!.push(await writing.catch(() => 0));
    }),
  );
  for (const [classId, answers] of acknowledgedSeqs) {
    const entries = await listLogEntries(storage.db, classId, 1, 1000);
    const expected = entries.map((_, i) => i + 1);
    expect(entries.map(({ seq }) => seq)).toEqual(expected);
    expect(answers.filter(Boolean).toSorted((a, b) => a - b)).toEqual(expected);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  }
});

test('counts are numbers, and messages are counted separately from entries', async () => {
  const classId = await addClass(storage);
  await append(classId, 2);

  const third = await storage.commits.write(
    ({ db }) => appendToLog(db, classId, 'posted', 'm'),
    'everything',
  );
  expect(third).toMatchObject({ seq: 3, ordinal: 1 });

  const head = await storage.db
    .selectFrom('classes')
    .select(['seq', 'ordinal', 'memberCount'])
    .where('classId', '=', classId)
    .executeTakeFirst();
  expect(head).toEqual({ seq: 3, ordinal: 1, memberCount: 0 });
});

test('a long log drops its old entries and keeps its head [LOG-6, LOG-12]', async () => {
  const classId = await addClass(storage);
  const other = await addClass(storage);
  await append(other, 3);
  const entries = await append(classId, 2600);

  const entriesLeft = await listLogEntries(storage.db, classId, 1, 2600);
  expect(entriesLeft.at(0)?.seq).toBe(501);
  expect(entriesLeft.at(-1)).toMatchObject({ seq: 2600, id: entries.at(-1)?.id });
  expect(entriesLeft).toHaveLength(2100);
  expect(await listLogEntries(storage.db, other, 1, 10)).toHaveLength(3);

  const { db } = storage;
  expect(await replay(db, classId, { seq: 400, id: null }, 800)).toBeNull();
  expect((await replay(db, classId, { seq: 2500, id: null }, 2600))?.items).toHaveLength(100);
  expect(await takeSnapshot(db, classId, 2600)).toMatchObject({ lastId: entriesLeft.at(-1)?.id });
});
