import { describe, expect, test } from 'vitest';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { quoteEmail } from '#tests/support/test-database.ts';

const app = setUpApp({ EMAIL_DOMAIN: 'Campus.edu' });

const wrongDomain = {
  code: 'WRONG_EMAIL_DOMAIN',
  message: 'Please use a valid @campus.edu email address.',
};

describe('an account', () => {
  test('an account is created by signing up, which signs in, and its owner can read it [AUTH-9, AUTH-21]', async () => {
    const ada = app.visitor('Ada.L');
    expect(await ada.call('me', {})).toEqual({ account: null });
    const response = await ada.fetch('/api/auth/sign-up/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });
    expect(response.headers.getSetCookie().join()).toMatch(/HttpOnly; SameSite=Lax/);
    expect(await ada.call('me', {})).toMatchObject({ account: { email: 'ada.l@campus.edu' } });
  });

  test('an account has the same opaque key in all of its calls and sockets, and no other account has that key [LOG-18, ANON-3]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const getKey = async (student: TestClient) => (await student.call('me', {})).account?.key;
    const key = await getKey(ada);
    expect(key).toMatch(/^[\w-]{22}$/);
    const again = ada.newBrowser();
    await again.call('signIn', { body: { email: ada.email, password } });
    expect(await getKey(again)).toBe(key);
    expect((await (await again.connect()).waitFor('welcome')).account).toBe(key);
    expect(await getKey(ben)).not.toBe(key);
    const [{ id } = { id: '' }] = await app.database.query(
      `select id from accounts where email = ${quoteEmail(ada.email)}`,
    );
    expect(String(id).length).toBeGreaterThan(10);
    expect(key).not.toContain(String(id));
  });

  test('an account is signed out immediately, and its cookie stops working [AUTH-18, AUTH-22]', async () => {
    const ada = await app.createStudent();
    const stolen = app.visitor();
    const response = await ada.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });
    const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
    const me = () => stolen.fetch('/api/me', { headers: { cookie } }).then((r) => r.json());
    expect(await me()).toMatchObject({ account: { email: ada.email } });
    await ada.call('signOut', {});
    expect(await me()).toEqual({ account: null });
    await expect(ada.call('listClasses', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('an account gets the same sign-in error for a wrong password and for an unknown address [AUTH-11]', async () => {
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

  test('an account requires an email address and a password to sign up or in [AUTH-7]', async () => {
    const { email } = await app.createStudent();
    for (const name of ['signUp', 'signIn'] as const) {
      for (const [body, message] of [
        [{ email: '', password }, 'Email is required.'],
        [{ email, password: '' }, 'Password is required.'],
      ] as const) {
        const rejected = app.visitor().call(name, { body });
        await expect(rejected).rejects.toMatchObject({ code: 'INVALID', message });
      }
    }
  });

  test('an account has an address of at most 254 characters [AUTH-26]', async () => {
    const name = (length: number) => `${'x'.repeat(length - '@campus.edu'.length)}@campus.edu`;
    await app.visitor().call('signUp', { body: { email: name(254), password } });
    const longer = app.visitor().call('signUp', { body: { email: name(255), password } });
    await expect(longer).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('an account is unique per address, regardless of case [AUTH-23]', async () => {
    const { email } = await app.createStudent('twice');
    const again = app.visitor().call('signUp', { body: { email: email.toUpperCase(), password } });
    await expect(again).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
    await app.visitor().call('signIn', { body: { email: 'TWICE@Campus.EDU', password } });
  });

  test('an account needs a password of 8 to 128 characters [AUTH-8]', async () => {
    for (const wrong of ['seven77', 'x'.repeat(129)]) {
      const body = { email: 'short@campus.edu', password: wrong };
      await expect(app.visitor().call('signUp', { body })).rejects.toMatchObject({
        code: 'PASSWORD_LENGTH',
        message: 'Please choose a password of 8 to 128 characters.',
      });
    }
    for (const right of ['eight 88', 'five5'.repeat(26).slice(0, 128)]) {
      const body = { email: app.visitor().email, password: right };
      await app.visitor().call('signUp', { body });
    }
  });
});

describe('the university’s domain', () => {
  test.each([
    'a@gmail.com',
    'a@sub.campus.edu',
    'a@campus.edu.evil.com',
    'a@campus.edu@gmail.com',
    'a@notcampus.edu',
    '@campus.edu',
    'campus.edu',
    'Ada <a@campus.edu>',
    'a@campus.edu,b@campus.edu',
    '"a b"@campus.edu',
    'a(comment)@campus.edu',
    'a b@campus.edu',
    'a..b@campus.edu',
  ])(
    'the university’s domain is required: the server rejects %s at sign-up, sign-in and reset [AUTH-4, AUTH-6]',
    async (email) => {
      const visitor = app.visitor();
      const before = app.mails().length;
      const body = { email, password };
      await expect(visitor.call('signUp', { body })).rejects.toMatchObject(wrongDomain);
      await expect(visitor.call('signIn', { body })).rejects.toMatchObject(wrongDomain);
      await expect(visitor.call('requestPasswordReset', { body: { email } })).rejects.toMatchObject(
        wrongDomain,
      );
      expect(app.mails()).toHaveLength(before);
    },
  );
});

test('every domain of a university with several domains can sign up, sign in and reset [CONF-37, AUTH-4]', async () => {
  const two = await startApp({ EMAIL_DOMAIN: 'uni.edu, Students.uni.edu' });
  try {
    const visitor = two.visitor();
    for (const email of ['ada@uni.edu', 'ada@STUDENTS.uni.edu']) {
      await visitor.call('signUp', { body: { email, password } });
      await visitor.call('signIn', { body: { email, password } });
      await visitor.call('requestPasswordReset', { body: { email } });
      const account = { email: email.toLowerCase() };
      expect(await visitor.call('me', {})).toMatchObject({ account });
    }
    const body = { email: 'ada@alumni.uni.edu', password };
    await expect(visitor.call('signUp', { body })).rejects.toMatchObject({
      message: 'Please use a valid @uni.edu or @students.uni.edu email address.',
    });
  } finally {
    await two.stop();
  }
});

describe('a forgotten password', () => {
  const findResetToken = (mail: string) => /\/reset-password\?token=(\S+)/.exec(mail)?.[1] ?? '';

  test('a forgotten password is reset once by a mailed link, which ends every session and socket [AUTH-15, AUTH-16]', async () => {
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
    const old = app.visitor().call('signIn', { body: { email: ada.email, password } });
    await expect(old).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
    await app.visitor().call('signIn', { body: { email: ada.email, password: newPassword } });

    const again = app.visitor().call('resetPassword', { body: { token, newPassword } });
    await expect(again).rejects.toMatchObject({
      code: 'INVALID_LINK',
      message: 'This link has expired or was already used. Please request a new one.',
    });
  });

  test('a forgotten password keeps its link valid when the server rejects the new password [AUTH-15]', async () => {
    const ada = await app.createStudent();
    await app.visitor().call('requestPasswordReset', { body: { email: ada.email } });
    const token = findResetToken(await app.waitForNextMailTo(ada));
    const short = app.visitor().call('resetPassword', { body: { token, newPassword: 'short' } });
    await expect(short).rejects.toMatchObject({ code: 'PASSWORD_LENGTH' });
    await app.visitor().call('resetPassword', { body: { token, newPassword: 'long enough' } });
  });

  test('a forgotten password gets the same answer for an address without an account, and no mail is sent [AUTH-14]', async () => {
    const before = app.mails().length;
    const body = { email: 'nobody.here@campus.edu' };
    expect(await app.visitor().call('requestPasswordReset', { body })).toEqual({});
    expect(app.mails()).toHaveLength(before);
  });

  test('a forgotten password logs the name of the mail file, but never the link or the address [ANON-4, CONF-10]', async () => {
    const ada = await app.createStudent();
    await app.visitor().call('requestPasswordReset', { body: { email: ada.email } });
    const link = findResetToken(await app.waitForNextMailTo(ada));
    const log = app.logLines.join('');
    expect(log).toMatch(/"event":"mail.written","file":"[\w-]+\.eml"/);
    expect(log).not.toContain(link);
    expect(log).not.toContain(ada.email);
  });
});

describe('if verification is required', () => {
  test('a student is signed in only after pressing the button behind the mailed link [AUTH-17, AUTH-55]', async () => {
    const strict = await startApp({ EMAIL_VERIFICATION: 'required' });
    try {
      const ada = strict.visitor();
      const body = { email: ada.email, password };
      expect(await ada.call('signUp', { body })).toEqual({ verify: true });
      expect(await ada.call('me', {})).toEqual({ account: null });
      await expect(ada.call('signIn', { body })).rejects.toMatchObject({
        code: 'WRONG_CREDENTIALS',
      });
      const token =
        /\/verify-email\?token=(\S+)/.exec(await strict.waitForNextMailTo(ada))?.[1] ?? '';
      expect(token).toMatch(/^[\w-]+$/);
      await ada.call('verifyEmail', { body: { token, password } });
      expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
      const forged = ada.call('verifyEmail', { body: { token: `${token}x`, password } });
      await expect(forged).rejects.toMatchObject({ code: 'INVALID_LINK' });
    } finally {
      await strict.stop();
    }
  });
});
