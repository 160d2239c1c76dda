// The mails that wait for an account, and its roles, go with it, and only with it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteAccount } from '#server/endings/account-deletion.ts';
import { listRoles, saveRole } from '#server/chat/staff/stored-roles.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { insertMail, listMailsTo } from '#server/mail/insert-mail.ts';
import type { Reader } from '#server/store/site.ts';
import {
  accountRecords,
  addAccount,
  openStorage,
  sessionRecords,
  type OpenedStorage,
  testKeys,
} from './opened-storage.ts';

const { personas: personaKey, mails: mailKey } = testKeys;
let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

function deleteTestAccount(accountId: string, { isDue = true, commits = storage.commits } = {}) {
  const { db, site } = storage;
  const account = { accountId, email: `${accountId}@university.edu`, keepMessages: true };
  return deleteAccount(
    { db, site, commits, memberships: new Memberships(personaKey), sessionRecords },
    commits,
    { ...account, isDue: async () => isDue },
    null,
  );
}

test.each([
  ['stay if the deletion is rejected in its commit', false, 1],
  ['go with the account', true, 0],
])('the mails that wait for an account %s [MAIL-6]', async (_, isDue, mailCount) => {
  const { db, commits } = storage;
  const accountId = await addAccount(storage);
  const email = `${accountId}@university.edu`;
  const otherEmail = `other.${email}`;
  for (const to of [email, otherEmail]) {
    const mail = { to, subject: 'Waiting', text: 'Waiting' };
    await commits.write(({ db: tx }) => insertMail(tx, mailKey, mail), 'independent');
  }

  await deleteTestAccount(accountId, { isDue });

  expect(await listMailsTo(db, mailKey, email)).toHaveLength(mailCount);
  expect(await listMailsTo(db, mailKey, otherEmail)).toHaveLength(1);
});

test('the roles of an account end with it, in a transaction that does not write the account [MOD-30, ANON-6]', async () => {
  const { commits } = storage;
  const [accountId, otherId] = [await addAccount(storage), await addAccount(storage)];
  const role = { classId: null, role: 'operator', staffName: 'Sam' } as const;
  for (const id of [accountId, otherId]) {
    await commits.write(
      (unitOfWork) => saveRole(unitOfWork, { accountId: id, ...role }),
      'everything',
    );
  }
  const findWritten = async (reader: Reader) => ({
    role: (await listRoles(reader, accountId)).length === 0,
    account: (await accountRecords.findById(reader.db, accountId)) === null,
  });
  const transactions: object[] = [];
  const watchedCommits: typeof commits = {
    ...commits,
    async write(change, scope) {
      return commits.write(async (unitOfWork) => {
        const before = await findWritten(unitOfWork);
        const result = await change(unitOfWork);
        const after = await findWritten(unitOfWork);
        transactions.push({
          role: after.role && !before.role,
          account: after.account && !before.account,
        });
        return result;
      }, scope);
    },
  };

  await deleteTestAccount(accountId, { isDue: false, commits: watchedCommits });
  expect(await findWritten(storage)).toEqual({ role: false, account: false });
  await deleteTestAccount(accountId, { commits: watchedCommits });

  expect(transactions.slice(-2)).toEqual([
    { role: true, account: false },
    { role: false, account: true },
  ]);
  expect(await listRoles(storage, otherId)).toEqual([role]);
});
