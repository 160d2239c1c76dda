// A copy of the database, without the server's key: it confirms no guess of a password.
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { listStoredAccounts } from '#tests/support/stored-accounts.ts';

const app = setUpApp();

test('a stolen copy has no hash with which a guessed password can be checked [AUTH-70]', async () => {
  await app.createStudent();
  await app.createStudent('ben', { password: 'quite another and longer one' });

  const stored = await listStoredAccounts(app.database);

  expect(stored.every(({ passwordHash }) => passwordHash?.startsWith('$argon2id$'))).toBe(true);
  expect(await app.database.content()).not.toContain('argon2');
  for (const { passwordHash } of stored) {
    expect(await app.database.content()).not.toContain(passwordHash!.slice(-20));
  }
});
