// A copy of the database, without the server's key: it confirms no guess of a password.
import { hash, verify } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { loadSecret } from '#tests/support/change-key.ts';
import { createPasswordHashing } from '#server/accounts/sealed-passwords.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { password } from '#tests/support/test-client.ts';

const app = setUpApp();

async function loadPasswords(): Promise<string[]> {
  const rows = await app.database.query('select password from credentials');
  return rows.map((row) => String(row['password']));
}

test('a stolen copy has no hash with which a guessed password can be checked [AUTH-70]', async () => {
  await app.createStudent();
  await app.createStudent('ben', { password: 'quite another and longer one' });

  const storedPasswords = await loadPasswords();

  for (const storedPassword of storedPasswords) {
    await expect(verify(storedPassword, password)).rejects.toThrow('Decoding failed');
    expect(
      await createPasswordHashing(deriveServerKeys('another').passwords).verify(
        storedPassword,
        password,
      ),
    ).toBe(false);
  }
  expect(new Set(storedPasswords.map((storedPassword) => storedPassword.length)).size).toBe(1);
  expect(new Set(storedPasswords).size).toBe(storedPasswords.length);
  expect(await app.database.content()).not.toContain('argon2');
});

test('the first start after an upgrade encrypts the hashes of earlier versions [AUTH-70]', async () => {
  const ada = await app.createStudent('ada');
  const plain = await hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });

  await app.restart(async () => {
    await app.database.query(`update credentials set password = '${plain}'`);
  });

  const { passwords } = deriveServerKeys(loadSecret(app.database.settings));
  for (const storedPassword of await loadPasswords()) {
    expect(await createPasswordHashing(passwords).verify(storedPassword, password)).toBe(true);
  }

  await ada.signIn();
  await expect
    .poll(() => app.database.content(), { timeout: 20_000 })
    .not.toContain(plain.slice(-20));
});
