import { describe, expect, test } from 'vitest';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { listStoredAccounts, quoteAddressKey } from '#tests/support/stored-accounts.ts';

const app = setUpApp({ EMAIL_DOMAIN: 'Campus.edu', LANGUAGES: 'en,de' });

const wrongDomain = {
  code: 'WRONG_EMAIL_DOMAIN',
  message: 'Please use a valid @campus.edu email address.',
};

describe('an account', () => {
  test('signing up creates an account and signs in [AUTH-9, AUTH-21]', async () => {
    const ada = app.visitor('Ada.L');
    expect(await ada.call('me', {})).toEqual({ account: null });

    const response = await ada.fetch('/api/auth/sign-up/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });
    expect(response.headers.getSetCookie().join()).toMatch(/HttpOnly; SameSite=Lax/);
    expect(await ada.call('me', {})).toMatchObject({ account: { email: 'ada.l@campus.edu' } });
  });

  test('all calls and sockets of an account have one opaque key [LOG-14, ANON-3]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const getKey = async (student: TestClient) => (await student.call('me', {})).account?.key;

    const key = await getKey(ada);

    expect(key).toMatch(/^[\w-]{22}$/);

    const otherBrowser = ada.newBrowser();
    await otherBrowser.call('signIn', { body: { email: ada.email, password } });
    expect(await getKey(otherBrowser)).toBe(key);
    expect((await (await otherBrowser.connect()).waitFor('welcome')).account).toBe(key);
    expect(await getKey(ben)).not.toBe(key);

    const [{ id } = { id: '' }] = await app.database.query(
      `select id from accounts where "addressKey" = ${quoteAddressKey(app.database, ada.email)}`,
    );
    expect(String(id).length).toBeGreaterThan(10);
    expect(key).not.toContain(String(id));
  });

  test('a cookie stops working when its account signs out [AUTH-18, AUTH-22]', async () => {
    const ada = await app.createStudent();
    const stolen = app.visitor();
    const response = await ada.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });
    const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
    const fetchAccount = () =>
      stolen.fetch('/api/me', { headers: { cookie } }).then((r) => r.json());

    expect(await fetchAccount()).toMatchObject({ account: { email: ada.email } });

    await ada.call('signOut', {});
    expect(await fetchAccount()).toEqual({ account: null });
    await expect(ada.call('listClasses', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('a wrong password and an unknown address get the same sign-in error [AUTH-11]', async () => {
    const { email } = await app.createStudent();
    for (const body of [
      { email, password: 'not the right one' },
      { email: 'nobody@campus.edu', password },
    ]) {
      await expect(app.visitor().call('signIn', { body })).rejects.toMatchObject({
        code: 'WRONG_CREDENTIALS',
        message: 'Invalid email or password.',
      });
    }
  });

  test('signing up and in requires an address and a password [AUTH-7]', async () => {
    const { email } = await app.createStudent();
    for (const name of ['signUp', 'signIn'] as const) {
      for (const [body, message] of [
        [{ email: '', password }, 'Email is required.'],
        [{ email, password: '' }, 'Password is required.'],
      ] as const) {
        const call = app.visitor().call(name, { body });
        await expect(call).rejects.toMatchObject({ code: 'INVALID', message });
      }
    }
  });

  test('an account has an address of at most 254 characters [AUTH-26]', async () => {
    const name = (length: number) => `${'x'.repeat(length - '@campus.edu'.length)}@campus.edu`;
    await app.visitor().call('signUp', { body: { email: name(254), password } });

    const longerSignUp = app.visitor().call('signUp', { body: { email: name(255), password } });
    await expect(longerSignUp).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('an address has one account, regardless of case [AUTH-60]', async () => {
    const { email } = await app.createStudent('twice');

    const secondSignUp = app
      .visitor()
      .call('signUp', { body: { email: email.toUpperCase(), password } });
    await expect(secondSignUp).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });

    await app.visitor().call('signIn', { body: { email: 'TWICE@Campus.EDU', password } });
  });

  test('an address is understood as a person copies it [AUTH-73]', async () => {
    const ada = await app.createStudent();
    const phone = ada.newBrowser();

    await phone.call('signIn', { body: { email: `\uFEFF"Ada" <${ada.email}>`, password } });

    expect(await phone.call('me', {})).toMatchObject({ account: { email: ada.email } });
  });

  test('an account needs a password of 8 to 128 characters [AUTH-8]', async () => {
    for (const wrongPassword of ['seven77', 'x'.repeat(129)]) {
      const body = { email: 'short@campus.edu', password: wrongPassword };
      await expect(app.visitor().call('signUp', { body })).rejects.toMatchObject({
        code: 'PASSWORD_LENGTH',
        message: 'Please choose a password of 8 to 128 characters.',
      });
    }
    for (const goodPassword of ['eight 88', 'five5'.repeat(26).slice(0, 128)]) {
      const body = { email: app.visitor().email, password: goodPassword };
      await app.visitor().call('signUp', { body });
    }
  });
});

test('an account keeps its language in a row of the same size, and Log Out ends the choice of the browser [LAYOUT-128]', async () => {
  const ada = await app.createStudent();
  const listSizes = () =>
    app.database.query('select distinct length(content) as size from accounts');
  const sizes = await listSizes();

  await ada.call('saveLanguage', { body: { language: 'de' } });

  const accounts = await listStoredAccounts(app.database);
  expect(accounts.find(({ email }) => email === ada.email)?.language).toBe('de');
  expect(await listSizes()).toEqual(sizes);
  expect(sizes).toHaveLength(1);
  const wrongChoice = ada.call('saveLanguage', { body: { language: 'tlh' } });
  await expect(wrongChoice).rejects.toMatchObject({ code: 'INVALID' });
  const signOut = await ada.fetch('/api/auth/sign-out', { method: 'POST' });
  expect(signOut.headers.getSetCookie()).toContainEqual(
    expect.stringMatching(/^language=; Max-Age=0/),
  );
});

test('a new account gets its mails in the language of the sign-up page, which its export has [LAYOUT-128]', async () => {
  const ada = app.visitor();
  const response = await ada.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'accept-language': 'de' },
    body: JSON.stringify({ email: ada.email, password }),
  });
  expect(response.ok).toBe(true);

  const exported = await ada.fetch('/api/me/export');

  expect(await exported.json()).toMatchObject({ language: 'de' });
});

describe('the university’s domain', () => {
  // `contract/email-address.test.ts` has the other ways to miss the domain.
  test.each(['a@gmail.com', 'a@campus.edu.evil.com', 'Ada <a@gmail.com>'])(
    'the address %s, which is not at the university’s domain, is rejected [AUTH-4, AUTH-73]',
    async (email) => {
      const visitor = app.visitor();
      const mailCount = app.mails().length;
      const body = { email, password };

      await expect(visitor.call('signUp', { body })).rejects.toMatchObject(wrongDomain);
      await expect(visitor.call('signIn', { body })).rejects.toMatchObject(wrongDomain);
      await expect(visitor.call('requestPasswordReset', { body: { email } })).rejects.toMatchObject(
        wrongDomain,
      );
      expect(app.mails()).toHaveLength(mailCount);
    },
  );
});

describe('a forgotten password', () => {
  const findResetToken = (mail: string) => /\/reset-password#token=(\S+)/.exec(mail)?.[1] ?? '';

  test('a mailed link resets a forgotten password once and ends every session [AUTH-15, AUTH-16]', async () => {
    const ada = await app.createStudent();
    const socket = await ada.connect();

    await app.visitor().call('requestPasswordReset', { body: { email: ada.email } });

    const mail = await app.waitForNextMailTo(ada);
    expect(mail).toContain(`To: ${ada.email}`);
    const token = findResetToken(mail);
    const newPassword = 'another good one';

    await app.visitor().call('resetPassword', { body: { token, newPassword } });
    expect(await socket.closed).toBe(4001);
    expect(await ada.call('me', {})).toEqual({ account: null });

    const oldSignIn = app.visitor().call('signIn', { body: { email: ada.email, password } });
    await expect(oldSignIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

    await app.visitor().call('signIn', { body: { email: ada.email, password: newPassword } });

    const secondReset = app.visitor().call('resetPassword', { body: { token, newPassword } });
    await expect(secondReset).rejects.toMatchObject({
      code: 'INVALID_LINK',
      message: 'This link has expired or was already used. Please request a new one.',
    });
  });

  test('a reset link stays valid if the server rejects the new password [AUTH-15]', async () => {
    const ada = await app.createStudent();
    await app.visitor().call('requestPasswordReset', { body: { email: ada.email } });
    const token = findResetToken(await app.waitForNextMailTo(ada));

    const shortReset = app
      .visitor()
      .call('resetPassword', { body: { token, newPassword: 'short' } });
    await expect(shortReset).rejects.toMatchObject({ code: 'PASSWORD_LENGTH' });

    await app.visitor().call('resetPassword', { body: { token, newPassword: 'long enough' } });
  });
});
