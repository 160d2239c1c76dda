import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError, errors, type ErrorCode } from '#contract/errors.ts';
import type { LogItem } from '#contract/socket.ts';
import { createLog } from '#server/base/log.ts';
import { deleteAllSessions } from '#server/accounts/session-records.ts';
import { GroupCommitQueue } from '#server/store/commit-queue.ts';
import { openQueues } from '#server/store/open-queues.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

/** A change of the class that writes a log item. */
function change(classId: string, ref: string) {
  return async ({ db, publish }: UnitOfWork): Promise<number> => {
    const { seq, id } = await appendToLog(db, classId, 'deleted', ref);
    publish(classId, { kind: 'deleted', seq, id, messageId: ref });
    return seq;
  };
}

async function listRefs(classId: string): Promise<string[]> {
  return (await listLogEntries(storage.db, classId, 1, 1000)).map(({ ref }) => ref);
}

function listPublished(classId: string): LogItem[] {
  return storage.published
    .filter((entry) => entry.classId === classId)
    .flatMap(({ items }) => items);
}

/** The number of commits during the action. */
async function countCommitsDuring(action: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const countCommit = (message: unknown) => {
    if ((message as { stage: string }).stage === 'committed') count += 1;
  };
  subscribe('backchannel.commit', countCommit);
  await action().finally(() => unsubscribe('backchannel.commit', countCommit));
  return count;
}

describe('a change', () => {
  test('a change is published after its commit and before its reply [LOG-2]', async () => {
    const classId = await addClass(storage);
    const seq = await storage.commits.write(change(classId, 'a'), 'everything');
    expect(listPublished(classId)).toMatchObject([{ seq, messageId: 'a' }]);

    const rows = await storage.database.query('select ref from log');
    expect(rows).toContainEqual({ ref: 'a' });
  });

  test('a change keeps its place in the log, the published items and the replies [LOG-1]', async () => {
    const classId = await addClass(storage);
    const refs = Array.from({ length: 600 }, (_, i) => `m${i}`);
    const acknowledgedRefs: string[] = [];

    await Promise.all(
      refs.map(async (ref) => {
        await storage.commits.write(change(classId, ref), 'everything');
        acknowledgedRefs.push(ref);
      }),
    );

    expect(acknowledgedRefs).toEqual(refs);
    expect(await listRefs(classId)).toEqual(refs);
    expect(listPublished(classId).map(({ seq }) => seq)).toEqual(refs.map((_, i) => i + 1));
  });

  test.each(Object.keys(errors) as ErrorCode[])(
    'a change that is rejected with %s rolls back only its own writes [LOG-86]',
    async (code) => {
      const classId = await addClass(storage);
      const { commits } = storage;

      const answers = await Promise.allSettled([
        commits.write(change(classId, 'before'), 'everything'),
        commits.write(async (unitOfWork) => {
          await change(classId, 'rejected')(unitOfWork);
          throw new AppError(code);
        }, 'everything'),
        commits.write(change(classId, 'after'), 'everything'),
      ]);

      expect(answers).toMatchObject([
        { value: 1 },
        { status: 'rejected', reason: { code } },
        { value: 2 },
      ]);
      expect(await listRefs(classId)).toEqual(['before', 'after']);
      expect(listPublished(classId)).toHaveLength(2);
    },
  );

  test('a change that the database rejects does not affect others', async () => {
    const classId = await addClass(storage);
    const { commits } = storage;

    const answers = await Promise.allSettled([
      commits.write(change(classId, 'before'), 'everything'),
      commits.write((unitOfWork) => change('no such class', 'wrong')(unitOfWork), 'everything'),
      commits.write(
        ({ db }) => db.deleteFrom('classes').where('classId', '=', classId).execute(),
        'everything',
      ),
      commits.write(change(classId, 'after'), 'everything'),
    ]);

    expect(answers).toMatchObject([
      { value: 1 },
      { status: 'rejected', reason: { code: 'NOT_FOUND' } },
      { status: 'rejected', reason: { code: 'INTERNAL' } },
      { value: 2 },
    ]);
    expect(await listRefs(classId)).toEqual(['before', 'after']);
  });
});

describe('refused changes in a batch', () => {
  const kinds = {
    'refused by their own rule': async (unitOfWork: UnitOfWork, classId: string) => {
      await change(classId, 'rejected')(unitOfWork);
      throw new AppError('NOT_YOURS_TO_EDIT');
    },
    'refused by the database': async ({ db }: UnitOfWork, classId: string) => {
      await db
        .insertInto('personas')
        .values({
          classId: `not ${classId}`,
          memberId: 'm',
          anonymousName: 'Lynx',
          nameKey: null,
          icon: 'i',
        })
        .execute();
    },
  };

  test.each(Object.entries(kinds))('%s cost no commits [LOG-86]', async (_kind, runRejected) => {
    const classId = await addClass(storage);
    const writeAll = (isRejected: (i: number) => boolean) => () =>
      Promise.allSettled(
        Array.from({ length: 200 }, (_one, i) =>
          storage.commits.write(async (unitOfWork) => {
            if (isRejected(i)) await runRejected(unitOfWork, classId);
            else await change(classId, `m${i}`)(unitOfWork);
          }, 'everything'),
        ),
      );

    const commitCount = await countCommitsDuring(writeAll(() => false));
    expect(await countCommitsDuring(writeAll((i) => i === 100))).toBe(commitCount);
    expect(await countCommitsDuring(writeAll((i) => i % 20 === 3))).toBe(commitCount);

    const seqs = listPublished(classId).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 200 + 199 + 190 }, (_one, i) => i + 1));
  });

  test('changes of a batch that are rejected before they write do not make the others run again [LOG-86]', async () => {
    const classId = await addClass(storage);
    let runs = 0;
    const write = (isRejected: boolean) =>
      storage.commits.write(
        async (unitOfWork) => {
          runs += 1;
          await listLogEntries(unitOfWork.db, classId, 1, 1);
          if (isRejected) throw new AppError('MUTED');
          await change(classId, 'accepted')(unitOfWork);
        },
        { classId },
      );

    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, (_one, i) => write(i % 10 === 5)),
    );

    expect(runs).toBe(100);
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(await listRefs(classId)).toHaveLength(90);
  });

  test('rejected changes in a batch have no effect after the commit of the others [LOG-86]', async () => {
    const classId = await addClass(storage);
    const effects: string[] = [];
    const commits = new GroupCommitQueue({
      db: storage.db,
      kind: storage.kind,
      log: createLog({ write: () => {} }),
      follow(all) {
        for (const effect of all) {
          effects.push(effect.kind === 'item' ? `item ${effect.item.seq}` : effect.kind);
        }
      },
    });

    await Promise.allSettled([
      commits.write(change(classId, 'before'), 'everything'),
      commits.write(async (unitOfWork) => {
        await change(classId, 'rejected')(unitOfWork);
        unitOfWork.classChanged('rejected', null);
        unitOfWork.contentErased();
        throw new AppError('NOT_FOUND');
      }, 'everything'),
      commits.write(async (unitOfWork) => {
        unitOfWork.classChanged(classId, null);
        await change(classId, 'after')(unitOfWork);
      }, 'everything'),
    ]);

    expect(effects).toEqual(['item 1', 'class', 'item 2']);
  });
});

describe('the two sides of the database', () => {
  const endSessions = ({ db }: UnitOfWork) => deleteAllSessions(db);

  test('a change that writes sessions and a class is rejected [ANON-51]', async () => {
    const classId = await addClass(storage);

    const writing = storage.commits.write(async (unitOfWork) => {
      await endSessions(unitOfWork);
      await change(classId, 'both')(unitOfWork);
    }, 'everything');

    await expect(writing).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await listRefs(classId)).toEqual([]);
  });

  test('each queue of a server rejects a change of the other side, and commits the others [ANON-51]', async () => {
    const classId = await addClass(storage);
    await using stack = new AsyncDisposableStack();
    const log = createLog({ write: () => {} });
    const { commits, accountCommits } = openQueues(stack, {
      db: storage.commitDb,
      kind: storage.kind,
      log,
    });

    const results = await Promise.allSettled([
      commits.write(change(classId, 'right'), 'everything'),
      commits.write(endSessions, 'everything'),
      accountCommits.write(change(classId, 'wrong'), 'everything'),
      accountCommits.write(endSessions, 'everything'),
    ]);

    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(await listRefs(classId)).toEqual(['right']);
  });

  test('changes of different groups share no transaction, and those of one group do [ANON-40]', async () => {
    const classId = await addClass(storage);
    const write = (ref: string, group?: string) =>
      storage.commits.write(change(classId, ref), 'everything', group);

    const count = await countCommitsDuring(() =>
      Promise.all([write('a'), write('b', 'votes'), write('c'), write('d', 'votes')]),
    );

    expect(count).toBe(2);
    expect(await listRefs(classId)).toEqual(['a', 'c', 'b', 'd']);
  });
});

test('the queue waits for every change when it is drained', async () => {
  const classId = await addClass(storage);
  const writing = ['a', 'b', 'c'].map((ref) =>
    storage.commits.write(change(classId, ref), 'everything'),
  );

  await storage.commits.drain();

  expect(await listRefs(classId)).toEqual(['a', 'b', 'c']);

  await Promise.all(writing);
});
