import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Write } from '#server/storage/commit-queue.ts';
import { appendToLog, listLog } from '#server/storage/queries/log.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

/** A change of the class that tells about itself. */
function change(classId: string, ref: string) {
  return async ({ db, publish }: Write): Promise<number> => {
    const { seq, id } = await appendToLog(db, classId, 'deleted', ref);
    publish(classId, { kind: 'deleted', seq, id, messageId: ref });
    return seq;
  };
}

async function refsOf(classId: string): Promise<string[]> {
  return (await listLog(storage.db, classId, 1, 1000)).map(({ ref }) => ref);
}

function toldOf(classId: string): LogItem[] {
  return storage.told.filter((told) => told.classId === classId).flatMap(({ items }) => items);
}

describe('a change', () => {
  test('is answered after its commit, and told before its answer [LOG-2]', async () => {
    const classId = await addClass(storage);
    const seq = await storage.commits.write(change(classId, 'a'));
    expect(toldOf(classId)).toMatchObject([{ seq, messageId: 'a' }]);
    const stored = await storage.database.query('select ref from log');
    expect(stored).toContainEqual({ ref: 'a' });
  });

  test('that waits with others keeps its place among them, in the log, the news and the answers [LOG-1]', async () => {
    const classId = await addClass(storage);
    const refs = Array.from({ length: 600 }, (_, i) => `m${i}`);
    const answered: string[] = [];
    await Promise.all(
      refs.map(async (ref) => {
        await storage.commits.write(change(classId, ref));
        answered.push(ref);
      }),
    );
    expect(answered).toEqual(refs);
    expect(await refsOf(classId)).toEqual(refs);
    expect(toldOf(classId).map(({ seq }) => seq)).toEqual(refs.map((_, i) => i + 1));
  });

  test('that is refused takes back all of its own and nothing else [LOG-13]', async () => {
    const classId = await addClass(storage);
    const { write } = storage.commits;
    const answers = await Promise.allSettled([
      write(change(classId, 'before')),
      write(async (tx) => {
        await change(classId, 'refused')(tx);
        throw new Refusal('ID_CONFLICT');
      }),
      write(change(classId, 'after')),
    ]);
    expect(answers).toMatchObject([
      { value: 1 },
      { status: 'rejected', reason: { code: 'ID_CONFLICT' } },
      { value: 2 },
    ]);
    expect(await refsOf(classId)).toEqual(['before', 'after']);
    expect(toldOf(classId)).toHaveLength(2);
  });

  test('to a class that is not there, or that the database refuses, harms no other', async () => {
    const classId = await addClass(storage);
    const { write } = storage.commits;
    const answers = await Promise.allSettled([
      write(change(classId, 'before')),
      write((tx) => change('no such class', 'wrong')(tx)),
      write(({ db }) => db.deleteFrom('classes').where('classId', '=', classId).execute()),
      write(change(classId, 'after')),
    ]);
    expect(answers).toMatchObject([
      { value: 1 },
      { status: 'rejected', reason: { code: 'NOT_FOUND' } },
      { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
      { value: 2 },
    ]);
    expect(await refsOf(classId)).toEqual(['before', 'after']);
  });
});

test('draining waits for every change', async () => {
  const classId = await addClass(storage);
  const writing = ['a', 'b', 'c'].map((ref) => storage.commits.write(change(classId, ref)));
  await storage.commits.drain();
  expect(await refsOf(classId)).toEqual(['a', 'b', 'c']);
  await Promise.all(writing);
});
