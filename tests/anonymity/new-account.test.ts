// What the row of a new account has before the daily run encrypts it again.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { waitUntilResealed } from './days.ts';
import { findStoredAccount } from '#tests/support/stored-accounts.ts';

const dayMs = 86_400_000;

let app: RunningApp;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  app = await startApp({ EMAIL_VERIFICATION: 'off', DIGEST_TIME: 'off' });
});
afterEach(async () => {
  await app.stop();
  vi.useRealTimers();
});

/** Which columns have a value, and the length of each encrypted value. */
async function describeRow(email: string): Promise<Record<string, number | null>> {
  const accounts = await app.database.query('select * from accounts');
  const { id } = await findStoredAccount(app.database, email);
  const row = accounts.find((account) => account['id'] === id)!;
  const toLength = (value: unknown) => (value as string | Buffer).length;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, value === null ? null : toLength(value)]),
  );
}

test('no empty or shorter value tells who has signed up since the last daily run [ANON-51]', async () => {
  const earlyStudent = await app.createStudent();
  const tomorrow = Math.floor(Date.now() / dayMs) + 1;
  await app.restart(async () => void vi.setSystemTime(tomorrow * dayMs));
  await waitUntilResealed(app, tomorrow);

  const lateStudent = await app.createStudent();

  expect(await describeRow(lateStudent.email)).toEqual(await describeRow(earlyStudent.email));
});
