// Two servers on one database write the same rows.
import { createSecretKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinClass } from '#server/chat/members/joining.ts';
import { postMessage } from '#server/chat/messages/messages.ts';
import { changePersona } from '#server/chat/members/personas.ts';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import {
  appendChangeEvent,
  getLastChangeEvent,
  listChangeEvents,
} from '#server/store/change-events-queries.ts';
import {
  addAccount,
  addClass,
  openStorage,
  timesKey,
  type OpenedStorage,
} from './opened-storage.ts';

let one: OpenedStorage;
let other: OpenedStorage;
beforeAll(async () => {
  one = await openStorage();
  other = await openStorage(one.database);
});
afterAll(async () => {
  await other.close();
  await one.close();
});

test('batches that lock the same classes in opposite order all arrive, without gaps [LOG-1, LOG-3]', async () => {
  const a = await addClass(one);
  const b = await addClass(one);
  const append = ({ commits }: OpenedStorage, classId: string) =>
    commits.write(({ db }) => appendToLog(db, classId, 'deleted', 'x'), 'nothing');
  const rounds = Array.from({ length: 50 }, () => [
    ...[append(one, a), append(one, b)],
    ...[append(other, b), append(other, a)],
  ]);
  await Promise.all(rounds.flat());
  for (const classId of [a, b]) {
    const seqs = (await listLogEntries(one.db, classId, 1, 1000)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  }
});

test('the server retries a change after a deadlock', async () => {
  const a = await addClass(one);
  const b = await addClass(one);
  const append = ({ commits }: OpenedStorage, first: string, second: string) =>
    commits.write(async ({ db }) => {
      await appendToLog(db, first, 'deleted', 'x');
      // The delay lets the other transaction lock its first row too.
      await db.selectNoFrom((e) => e.fn('pg_sleep', [e.lit(0.2)]).as('slept')).execute();
      return appendToLog(db, second, 'deleted', 'x');
    }, 'nothing');
  await Promise.all([append(one, a, b), append(other, b, a)]);
  for (const classId of [a, b]) {
    expect(await listLogEntries(one.db, classId, 1, 10)).toHaveLength(2);
  }
});

test('simultaneous change events on both servers are one sequence without gaps [ADMIN-4]', async () => {
  const store = ({ commits }: OpenedStorage, ref: string) =>
    commits.write((unitOfWork) => appendChangeEvent(unitOfWork, 'class-deleted', ref), 'nothing');
  const before = await getLastChangeEvent(one.db);
  const refs = Array.from({ length: 40 }, (_, i) => `class ${i}`);
  await Promise.all(refs.map((ref, i) => store(i % 2 ? one : other, ref)));
  const entries = await listChangeEvents(other.db, before);
  expect(entries.map(({ seq }) => seq)).toEqual(refs.map((_, i) => before + i + 1));
  expect(entries.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
});

test('a message sent to both servers is stored once [LOG-3, LOG-4]', async () => {
  const classId = await addClass(one);
  const accountId = await addAccount(one);
  await one.commits.write(
    (unitOfWork) => joinClass(unitOfWork, timesKey, accountId, classId),
    'nothing',
  );
  const actor = { personaKey: createSecretKey(Buffer.alloc(32, 7)), accountId, classId };
  for (let i = 1; i <= 20; i++) {
    const message = { id: randomUUID(), text: 'said once' };
    const posts = [one, other].map(({ commits }) =>
      commits.write((unitOfWork) => postMessage(unitOfWork, actor, message), 'nothing'),
    );
    expect(await Promise.all(posts)).toEqual([i, i]);
  }
});

test('if two members choose one name on both servers, one of them gets it [PERSONA-4]', async () => {
  const classId = await addClass(one);
  const accounts = [await addAccount(one), await addAccount(one)];
  for (const account of accounts) {
    await one.commits.write(
      (unitOfWork) => joinClass(unitOfWork, timesKey, account, classId),
      'nothing',
    );
  }
  const personaKey = createSecretKey(Buffer.alloc(32, 7));
  for (let i = 0; i < 20; i++) {
    const outcomes = await Promise.allSettled(
      [one, other].map(({ commits }, n) =>
        commits.write((unitOfWork) => {
          const actor = { personaKey, accountId: accounts[n] ?? '', classId };
          return changePersona(unitOfWork, actor, { anonymousName: `Lynx ${i}` }, 'Backchannel');
        }, 'nothing'),
      ),
    );
    const rejected = outcomes.filter(({ status }) => status === 'rejected');
    expect(rejected).toMatchObject([{ reason: { code: 'NAME_TAKEN' } }]);
  }
});
