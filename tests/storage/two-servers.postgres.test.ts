// Two servers on one database meet in rows that both of them write.
import { createSecretKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinClass } from '#server/domain/membership.ts';
import { postMessage } from '#server/domain/messages.ts';
import { appendToLog, listLog } from '#server/storage/queries/log.ts';
import { addAccount, addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

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

test('batches that lock the same classes in opposite order all arrive, without holes [LOG-1, LOG-3]', async () => {
  const [a, b] = [await addClass(one), await addClass(one)];
  const append = ({ commits }: OpenedStorage, classId: string) =>
    commits.write(({ db }) => appendToLog(db, classId, 'deleted', 'x'));
  const rounds = Array.from({ length: 50 }, () => [
    ...[append(one, a), append(one, b)],
    ...[append(other, b), append(other, a)],
  ]);
  await Promise.all(rounds.flat());
  for (const classId of [a, b]) {
    const seqs = (await listLog(one.db, classId, 1, 1000)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  }
});

test('a change that waits for itself in another transaction is run again', async () => {
  const [a, b] = [await addClass(one), await addClass(one)];
  const append = ({ commits }: OpenedStorage, first: string, second: string) =>
    commits.write(async ({ db }) => {
      await appendToLog(db, first, 'deleted', 'x');
      // Long enough for the other one to hold its first row too.
      await db.selectNoFrom((e) => e.fn('pg_sleep', [e.lit(0.2)]).as('slept')).execute();
      return appendToLog(db, second, 'deleted', 'x');
    });
  await Promise.all([append(one, a, b), append(other, b, a)]);
  for (const classId of [a, b]) expect(await listLog(one.db, classId, 1, 10)).toHaveLength(2);
});

test('one message that reaches both is one message [LOG-3, LOG-4]', async () => {
  const classId = await addClass(one);
  const accountId = await addAccount(one);
  await one.commits.write((tx) => joinClass(tx, accountId, classId));
  const writing = { personaKey: createSecretKey(Buffer.alloc(32, 7)), accountId, classId };
  for (let i = 1; i <= 20; i++) {
    const message = { id: randomUUID(), text: 'said once' };
    const posts = [one, other].map(({ commits }) =>
      commits.write((tx) => postMessage(tx, writing, message)),
    );
    expect(await Promise.all(posts)).toEqual([i, i]);
  }
});
