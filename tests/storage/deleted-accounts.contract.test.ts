// The mails that wait for an account go with it, and only with it.
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteAccount } from '#server/endings/account-deletion.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { insertMail, listMailsTo } from '#server/mail/insert-mail.ts';
import { addAccount, openStorage, sessionRecords, type OpenedStorage } from './opened-storage.ts';

const createKey = () => createSecretKey(randomBytes(32));
const mailKey = createKey();
let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

test.each([
  ['stay if the deletion is rejected in its commit', false, 1],
  ['go with the account', true, 0],
])('the mails that wait for an account %s [MAIL-7]', async (_, isDue, mailCount) => {
  const { db, commits } = storage;
  const accountId = await addAccount(storage);
  const email = `${accountId}@university.edu`;
  const otherEmail = `other.${email}`;
  for (const to of [email, otherEmail]) {
    const mail = { to, subject: 'Waiting', text: 'Waiting' };
    await commits.write(({ db: tx }) => insertMail(tx, mailKey, mail), 'independent');
  }

  const personaKey = createKey();
  await deleteAccount(
    {
      db,
      commits,
      personaKey,
      memberships: new Memberships(personaKey),
      voteKey: createKey(),
      mailKey,
      sessionRecords,
    },
    { accountId, email, keepMessages: true, isDue: async () => isDue },
    null,
  );

  expect(await listMailsTo(db, mailKey, email)).toHaveLength(mailCount);
  expect(await listMailsTo(db, mailKey, otherEmail)).toHaveLength(1);
});
