import { hash } from '@node-rs/argon2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPasswordHashing } from '#server/accounts/password-hashing.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { createResetLinks } from '#server/accounts/reset-links.ts';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp({ APP_NAME: 'Seminar Room' });

const newPassword = 'another good one';
const resetToken = (mail: string) => /\/reset-password#token=(\S+)/.exec(mail)?.[1] ?? '';

async function requestMailedToken(student: TestClient): Promise<string> {
  await app.visitor().call('requestPasswordReset', { body: { email: student.email } });
  return resetToken(await app.waitForNextMailTo(student));
}

const tooCommon = {
  code: 'PASSWORD_COMMON',
  message:
    'This password is too easy to guess. Try three or four words that do not belong together.',
};

const cost = { memoryCost: 64, timeCost: 1, parallelism: 1 };

test.each([
  { set: 'pässwörter', typed: 'pa\u0308sswo\u0308rter', isSame: true },
  { set: 'pa\u0308sswo\u0308rter', typed: 'pässwörter', isSame: true },
  { set: 'ｃｏｒｒｅｃｔ－ｈｏｒｓｅ', typed: 'correct-horse', isSame: true },
  { set: 'correct horse', typed: 'correct\u00A0horse', isSame: true },
  { set: '각도와 거리', typed: '각도와 거리'.normalize('NFD'), isSame: true },
  { set: 'pässwörter', typed: 'passworter', isSame: false },
  { set: 'Pässwörter', typed: 'pässwörter', isSame: false },
])('the password $set is the same as $typed: $isSame [AUTH-72]', async ({ set, typed, isSame }) => {
  const hashing = createPasswordHashing(cost);

  expect(await hashing.verify(await hashing.hash(set), typed)).toBe(isSame);
});

test('a password from an earlier version, hashed as it was typed, still opens its account [AUTH-72]', async () => {
  const hashing = createPasswordHashing(cost);
  const typed = 'pa\u0308sswo\u0308rter';

  expect(await hashing.verify(await hash(typed, cost), typed)).toBe(true);
});

test('the length of a password is that of its composed letters [AUTH-72, AUTH-8]', () => {
  expect(
    ['ä'.repeat(7), 'ä'.repeat(8)].map((text) => hasPasswordLength(text.normalize('NFD'))),
  ).toEqual([false, true]);
});

describe('a common password', () => {
  test.each([
    ['Password1', 'is among those that most people choose'],
    ['iloveyou', 'is among those that most people choose'],
    ['ｉｌｏｖｅｙｏｕ', 'is among those that most people choose'],
    ['Contraseña', 'is among those that most people choose'],
    ['ADA.LOVELACE', 'is the part of the address before its @'],
    ['Ada.Lovelace@university.edu', 'is the address'],
    ['seminar room', 'is the name of the app'],
  ])('the password %s is rejected because it %s [AUTH-44]', async (commonPassword) => {
    const body = { email: 'ada.lovelace@university.edu', password: commonPassword };
    await expect(app.visitor().call('signUp', { body })).rejects.toMatchObject(tooCommon);

    const signedIn = await app
      .visitor()
      .call('signIn', { body: { ...body, password } })
      .catch(() => null);
    const ada = app.visitor('ada.lovelace');
    if (signedIn) await ada.signIn();
    else await ada.signUp();

    const change = ada.call('changePassword', {
      body: { currentPassword: password, newPassword: commonPassword },
    });
    await expect(change).rejects.toMatchObject(tooCommon);

    const token = await requestMailedToken(ada);
    const reset = app
      .visitor()
      .call('resetPassword', { body: { token, newPassword: commonPassword } });
    await expect(reset).rejects.toMatchObject(tooCommon);
  });

  test('a password that repeats itself or is a sequence is too common [AUTH-44]', async () => {
    const trySignUp = async (chosenPassword: string) => {
      const visitor = app.visitor();
      const call = visitor.call('signUp', {
        body: { email: visitor.email, password: chosenPassword },
      });
      return call.then(
        () => 'taken',
        (error: unknown) => error,
      );
    };
    for (const commonPassword of [
      '00000000',
      'aaaaaaaaaaaa',
      ' '.repeat(8),
      'abcabcabc',
      '12341234',
      'ABCDEFGH',
      '98765432',
      'éééééééé',
    ]) {
      expect(await trySignUp(commonPassword), commonPassword).toMatchObject(tooCommon);
    }
    for (const goodPassword of ['abcdexyz', 'correct correct', 'abcdeabcde', '2468024680x']) {
      expect(await trySignUp(goodPassword), goodPassword).toBe('taken');
    }
  });
});

describe('a password change', () => {
  test('a password change requires the current password and ends every other session [PROFILE-12]', async () => {
    const ada = await app.createStudent();
    const phone = ada.newBrowser();
    await phone.call('signIn', { body: { email: ada.email, password } });
    const socket = await phone.connect();
    const adaSocket = await ada.connect();

    const wrongChange = ada.call('changePassword', {
      body: { currentPassword: 'not it', newPassword },
    });
    await expect(wrongChange).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
      message: 'This is not your current password.',
    });
    expect(await phone.call('me', {})).not.toEqual({ account: null });

    await ada.call('changePassword', { body: { currentPassword: password, newPassword } });
    expect(await socket.closed).toBe(4001);
    expect(await phone.call('me', {})).toEqual({ account: null });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    expect(await adaSocket.request({})).toMatchObject({ code: 'INVALID' });

    await phone.call('signIn', { body: { email: ada.email, password: newPassword } });
    const oldSignIn = phone.call('signIn', { body: { email: ada.email, password } });
    await expect(oldSignIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  });

  test('a password change and a reset withdraw all other mailed links [AUTH-16]', async () => {
    const ada = await app.createStudent();
    const firstToken = await requestMailedToken(ada);
    const secondToken = await requestMailedToken(ada);
    await app.visitor().call('resetPassword', { body: { token: firstToken, newPassword } });
    const body = { token: secondToken, newPassword: 'a third good one' };

    await expect(app.visitor().call('resetPassword', { body })).rejects.toMatchObject({
      code: 'INVALID_LINK',
    });

    await ada.call('signIn', { body: { email: ada.email, password: newPassword } });
    const thirdToken = await requestMailedToken(ada);
    await ada.call('changePassword', {
      body: { currentPassword: newPassword, newPassword: 'a third good one' },
    });

    const lateReset = app
      .visitor()
      .call('resetPassword', { body: { token: thirdToken, newPassword } });
    await expect(lateReset).rejects.toMatchObject({ code: 'INVALID_LINK' });
  });
});

describe('a mailed link', () => {
  test('what a stranger does with an address stores nothing of its account, whose rows stay as they are [AUTH-20, ANON-6]', async () => {
    const ada = await app.createStudent();
    const loadRows = async () => {
      const { accounts, sessions } = await app.database.tables();
      return { accounts, sessions };
    };
    const rowsBefore = await loadRows();
    const token = await requestMailedToken(ada);
    const stranger = ada.newBrowser({ password: newPassword });
    await expect(stranger.signUp()).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
    await expect(stranger.signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

    expect(await app.database.content()).not.toContain(token);
    expect(await loadRows()).toEqual(rowsBefore);
  });

  test('a reset link is valid for one to two hours, for the database and the account for which it was made [AUTH-15]', () => {
    const { resetLinks: key } = deriveServerKeys('secret');
    const links = createResetLinks(key, 'epoch');
    const account = { id: 'a', email: 'ada@university.edu', passwordHash: 'old' };
    const { token, expiresAt } = links.create(account);

    expect(expiresAt - Date.now()).toBeGreaterThan(3_500_000);
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(7_200_000);
    expect(expiresAt % 3_600_000).toBe(0);
    expect(links.isFor(account, token)).toBe(true);
    for (const other of [
      { ...account, id: 'b' },
      { ...account, email: 'ada@uni.edu' },
      { ...account, passwordHash: 'new' },
    ]) {
      expect(links.isFor(other, token)).toBe(false);
    }
    expect(createResetLinks(key, 'restored').isFor(account, token)).toBe(false);
    expect(links.findAccountId(links.create(null).token)).toBe('');

    vi.useFakeTimers({ now: expiresAt });
    onTestFinished(() => void vi.useRealTimers());
    expect(links.isFor(account, token)).toBe(false);
  });

  test('a reset link uses PUBLIC_URL, and no call accepts a redirect address [AUTH-50]', async () => {
    const ada = await app.createStudent();
    const { port } = new URL(app.origin);

    await ada.fetch('/api/auth/request-password-reset', {
      method: 'POST',
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
      body: JSON.stringify({ email: ada.email }),
    });

    expect(await app.waitForNextMailTo(ada)).toContain(
      `http://localhost:${port}/reset-password#token=`,
    );
    for (const [path, body] of [
      ['/api/auth/sign-up/email', { email: app.visitor().email, password }],
      ['/api/auth/sign-in/email', { email: ada.email, password }],
      ['/api/auth/request-password-reset', { email: ada.email }],
      ['/api/auth/verify-email', { token: 'x', password }],
      ['/api/auth/reset-password', { token: 'x', newPassword }],
    ] as const) {
      for (const field of ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']) {
        const response = await ada.fetch(path, {
          method: 'POST',
          body: JSON.stringify({ ...body, [field]: 'https://evil.example/' }),
        });
        expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      }
      const url = `${path}?callbackURL=https://evil.example/&redirectTo=//evil.example`;
      const response = await ada.fetch(url, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([404, null]);
    }
  });
});
