// The order in which queued mails are sent.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertOutgoingMail, listDueMails } from '#server/mail/outgoing-mails-queries.ts';
import { openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

test('new mails take turns by their ids, so that none waits for all later ones, and retries follow them [MAIL-11]', async () => {
  const { commits, db } = storage;
  const due = { a: 0, b: 0, c: 0, d: 0, retry: 5, later: 1000 };
  for (const [id, dueAt] of Object.entries(due)) {
    await commits.write(
      (unitOfWork) => insertOutgoingMail(unitOfWork.db, { id, dueAt, content: '' }),
      'nothing',
    );
  }

  expect(await listDueMails(db, 10, 10, '')).toEqual(['a', 'b', 'c', 'd', 'retry']);
  expect(await listDueMails(db, 10, 10, 'b')).toEqual(['c', 'd', 'a', 'b', 'retry']);
  expect(await listDueMails(db, 10, 3, 'c')).toEqual(['d', 'a', 'b']);
});
