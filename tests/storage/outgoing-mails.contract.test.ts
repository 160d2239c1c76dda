// The order in which queued mails are sent.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  deleteMailOfLastTurn,
  digestDueAt,
  findFirstTurn,
  insertOutgoingMail,
  listDueMails,
} from '#server/mail/outgoing-mails-queries.ts';
import { openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

async function insertMails(mails: Readonly<Record<string, number>>): Promise<void> {
  for (const [id, dueAt] of Object.entries(mails)) {
    await storage.commits.write(
      (unitOfWork) => insertOutgoingMail(unitOfWork.db, { id, dueAt, content: '' }),
      'independent',
    );
  }
}

afterEach(async () => {
  await storage.commits.write(
    (unitOfWork) => unitOfWork.db.deleteFrom('outgoingMails').execute(),
    'independent',
  );
});

test('new mails leave before digests and retries, and none waits for all later ones [MAIL-12]', async () => {
  const { db } = storage;
  await insertMails({ a: 0, b: 0, c: 0, d: 1, digest: digestDueAt, retry: 2_000_000, later: 9e9 });

  expect(await listDueMails(db, 3_000_000, 10, '')).toEqual([
    'a',
    'b',
    'c',
    'd',
    'digest',
    'retry',
  ]);
  expect(await listDueMails(db, 3_000_000, 3, 'b')).toEqual(['c', 'a', 'b']);
  expect(await findFirstTurn(db)).toBe(0);
});

test('a full queue drops only a new mail of a later turn [MAIL-13]', async () => {
  const { db, commits } = storage;
  await insertMails({ a: 0, b: 3, digest: digestDueAt, retry: 2_000_000 });
  const drop = () =>
    commits.write((unitOfWork) => deleteMailOfLastTurn(unitOfWork.db, 0), 'independent');

  expect([await drop(), await drop()]).toEqual([true, false]);

  expect(await listDueMails(db, 3_000_000, 10, '')).toEqual(['a', 'digest', 'retry']);
});
