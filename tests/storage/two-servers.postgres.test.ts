// Two servers on one database write the same rows.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postMessage } from '#server/chat/messages/messages.ts';
import { changePersona } from '#server/chat/members/personas.ts';
import { deleteOldReceipts } from '#server/store/commit-receipts-queries.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import {
  appendChangeEvent,
  getLastChangeEvent,
  listChangeEvents,
} from '#server/store/change-events-queries.ts';
import { addAccount, addClass, openStorage, enroll, type OpenedStorage } from './opened-storage.ts';

let firstServer: OpenedStorage;
let secondServer: OpenedStorage;
beforeAll(async () => {
  firstServer = await openStorage();
  secondServer = await openStorage(firstServer.database);
});
afterAll(async () => {
  await secondServer.close();
  await firstServer.close();
});

test('batches that lock the same classes in opposite order are all committed [LOG-1, LOG-3]', async () => {
  const a = await addClass(firstServer);
  const b = await addClass(firstServer);
  const append = ({ commits }: OpenedStorage, classId: string) =>
    commits.write(({ db }) => appendToLog(db, classId, 'deleted', 'x'), 'independent');
  const rounds = Array.from({ length: 50 }, () => [
    ...[append(firstServer, a), append(firstServer, b)],
    ...[append(secondServer, b), append(secondServer, a)],
  ]);

  await Promise.all(rounds.flat());

  for (const classId of [a, b]) {
    const seqs = (await listLogEntries(firstServer.db, classId, 1, 1000)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  }
});

test('the server retries a change after a deadlock', async () => {
  const a = await addClass(firstServer);
  const b = await addClass(firstServer);
  const append = ({ commits }: OpenedStorage, first: string, second: string) =>
    commits.write(async ({ db }) => {
      await appendToLog(db, first, 'deleted', 'x');
      // The delay lets the other transaction lock its first row too.
      await db.selectNoFrom((e) => e.fn('pg_sleep', [e.lit(0.2)]).as('slept')).execute();
      return appendToLog(db, second, 'deleted', 'x');
    }, 'independent');

  await Promise.all([append(firstServer, a, b), append(secondServer, b, a)]);

  for (const classId of [a, b]) {
    expect(await listLogEntries(firstServer.db, classId, 1, 10)).toHaveLength(2);
  }
});

test('simultaneous change events on both servers are one sequence without gaps [ADMIN-4]', async () => {
  const store = ({ commits }: OpenedStorage, ref: string) =>
    commits.write(
      (unitOfWork) => appendChangeEvent(unitOfWork, 'class-deleted', ref),
      'independent',
    );
  const lastSeq = await getLastChangeEvent(firstServer.db);
  const refs = Array.from({ length: 40 }, (_, i) => `class ${i}`);
  await Promise.all(refs.map((ref, i) => store(i % 2 ? firstServer : secondServer, ref)));

  const entries = await listChangeEvents(secondServer.db, lastSeq);

  expect(entries.map(({ seq }) => seq)).toEqual(refs.map((_, i) => lastSeq + i + 1));
  expect(entries.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
});

test('a message sent to both servers is stored once [LOG-3, LOG-4]', async () => {
  const classId = await addClass(firstServer);
  const accountId = await addAccount(firstServer);
  await firstServer.commits.write(
    (unitOfWork) => enroll(unitOfWork, accountId, classId),
    'independent',
  );
  const actor = { accountId, classId };
  for (let i = 1; i <= 20; i++) {
    const message = { id: randomUUID(), text: 'said once' };
    const posts = [firstServer, secondServer].map(({ commits }) =>
      commits.write((unitOfWork) => postMessage(unitOfWork, actor, message), 'independent'),
    );
    expect(await Promise.all(posts)).toEqual([{ seq: i }, { seq: i }]);
  }
});

test('only one of two members who choose one name on two servers gets it [PERSONA-4]', async () => {
  const classId = await addClass(firstServer);
  const accounts = [await addAccount(firstServer), await addAccount(firstServer)];
  for (const account of accounts) {
    await firstServer.commits.write(
      (unitOfWork) => enroll(unitOfWork, account, classId),
      'independent',
    );
  }
  for (let i = 0; i < 20; i++) {
    const outcomes = await Promise.allSettled(
      [firstServer, secondServer].map(({ commits }, n) =>
        commits.write((unitOfWork) => {
          const actor = { accountId: accounts[n] ?? '', classId };
          return changePersona(unitOfWork, actor, { anonymousName: `Lynx ${i}` }, 'Backchannel');
        }, 'independent'),
      ),
    );
    const rejections = outcomes.filter(({ status }) => status === 'rejected');
    expect(rejections).toMatchObject([{ reason: { code: 'NAME_TAKEN' } }]);
  }
});

test('each server has a receipt of its last commit until it commits nothing for long [LOG-82]', async () => {
  const { db } = firstServer;
  await addClass(firstServer);
  await addClass(secondServer);
  const earlier = await deleteOldReceipts(db, await deleteOldReceipts(db, []));
  expect(earlier).toEqual([]);

  await addClass(firstServer);
  await addClass(secondServer);
  const receipts = await deleteOldReceipts(db, []);
  await addClass(secondServer);

  const remaining = await deleteOldReceipts(db, receipts);
  expect(receipts).toHaveLength(2);
  expect(remaining).toHaveLength(1);
  expect(receipts).not.toContainEqual(remaining[0]);
  expect(receipts.map(({ queue }) => queue)).toContain(remaining[0]?.queue);
});
