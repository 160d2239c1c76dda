import { createSecretKey, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { createSuspendedAccounts } from '#server/chat/staff/suspended-accounts.ts';
import { addSuspension, toAccountHashes } from '#server/chat/staff/suspensions.ts';
import { addAccount, addClass, openStorage } from './opened-storage.ts';

test('an older list of suspensions does not replace a newer one [SUSP-4]', async () => {
  const storage = await openStorage();
  const classId = await addClass(storage);
  const account = { id: await addAccount(storage), email: 'ada@university.edu' };
  const createKey = () => createSecretKey(randomBytes(32));
  const keys = { ids: createKey(), contents: createKey(), toMailboxKey: (email: string) => email };
  /** Delays the result of the second query, which reads no suspension yet. */
  const resultDelay = Promise.withResolvers<void>();
  let queries = 0;
  const slowPlugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries += 1;
      if (queries === 2) await resultDelay.promise;
      return result;
    },
  };
  const suspended = await createSuspendedAccounts(storage.db.withPlugin(slowPlugin), keys);

  const older = suspended.load();
  await expect.poll(() => queries).toBe(2);

  const suspension = { classId, memberId: 'm', caseId: 'c', reason: '', staffName: 'Kim' };
  await storage.commits.write(
    (unitOfWork) => addSuspension(unitOfWork, keys, suspension, toAccountHashes(keys, account), 7),
    'everything',
  );
  const newer = suspended.load();
  // Without their order, the newer list would be read now.
  await Promise.race([newer, sleep(50)]);
  resultDelay.resolve();
  await Promise.all([older, newer]);

  expect(suspended.isSuspended(account)).toBe(true);

  await storage.close();
});
