import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Student } from '../../scripts/student.ts';
import { password, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp({ EMAIL_VERIFICATION: 'required' });
});
afterAll(() => app.stop());

const tokenOf = (mail: string) => /\/verify-email\?token=(\S+)/.exec(mail)?.[1] ?? '';

async function signUp(student: Student, chosen = password): Promise<string> {
  const body = { email: student.email, password: chosen };
  expect(await student.call('signUp', { body })).toEqual({ verify: true });
  return app.nextMailTo(student);
}

describe('where verification is required', () => {
  test('the link wants its page’s press and the password, and then signs in [AUTH-40]', async () => {
    const ada = app.visitor();
    const token = tokenOf(await signUp(ada));
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    // What a mail scanner does with a link.
    await ada.fetch(`/verify-email?token=${token}`);
    await ada.fetch(`/api/auth/verify-email?token=${token}`);
    await expect(
      ada.call('signIn', { body: { email: ada.email, password } }),
    ).rejects.toMatchObject({ code: 'EMAIL_NOT_VERIFIED' });

    const wrong = ada.call('verifyEmail', { body: { token, password: 'something else' } });
    await expect(wrong).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
      message: 'This is not your current password.',
    });
    expect(await ada.call('me', {})).toEqual({ account: null });
    await ada.call('verifyEmail', { body: { token, password } });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    expect(await ada.call('listClasses', {})).toEqual({ classes: [] });
  });

  test('a forged link, or another account’s token, verifies nothing [AUTH-40, AUTH-48]', async () => {
    const [ada, eve] = [app.visitor(), app.visitor()];
    const token = tokenOf(await signUp(ada));
    const own = tokenOf(await signUp(eve));
    const [head, , signature] = own.split('.');
    const forged = `${head}.${token.split('.')[1]}.${signature}`;
    for (const wrong of [forged, `${token}x`, 'x', `${token.split('.')[0]}..`]) {
      const refused = eve.call('verifyEmail', { body: { token: wrong, password } });
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_LINK' });
    }
    expect(JSON.stringify(await app.database.tables())).not.toContain(token.split('.')[2]);
  });

  test('whoever signed up with somebody else’s address gets nowhere by that person’s press [AUTH-40, AUTH-42]', async () => {
    const [ada, eve] = [app.visitor('ada.early'), app.visitor('ada.early')];
    await signUp(eve, 'a password of eve');
    const token = tokenOf(await signUp(ada));
    const pressed = ada.call('verifyEmail', { body: { token, password } });
    await expect(pressed).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    const entered = eve.call('signIn', {
      body: { email: eve.email, password: 'a password of eve' },
    });
    await expect(entered).rejects.toMatchObject({ code: 'EMAIL_NOT_VERIFIED' });
    await app.nextMailTo(eve);

    // The way out for who has the mailbox.
    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    const reset = /\/reset-password\?token=(\S+)/.exec(await app.nextMailTo(ada))?.[1] ?? '';
    await ada.call('resetPassword', { body: { token: reset, newPassword: password } });
    await ada.call('signIn', { body: { email: ada.email, password } });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    const again = eve.call('signIn', { body: { email: eve.email, password: 'a password of eve' } });
    await expect(again).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  });

  test('before it nothing opens: no class, no call, no socket [AUTH-41]', async () => {
    const ada = app.visitor();
    await signUp(ada);
    await expect(ada.call('listClasses', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(ada.connect()).rejects.toThrow('401');
    const sessions = await app.database.query(
      `select sessions.id from sessions join accounts on accounts.id = "userId"
       where email = '${ada.email}'`,
    );
    expect(sessions).toEqual([]);
  });

  test('a taken address is answered as a new one, and its owner is told [AUTH-42]', async () => {
    const ada = app.visitor();
    const token = tokenOf(await signUp(ada));
    await ada.call('verifyEmail', { body: { token, password } });
    const [eve, answers] = [app.visitor(), [] as unknown[]];
    for (const email of [ada.email, eve.email]) {
      const response = await eve.fetch('/api/auth/sign-up/email', {
        method: 'POST',
        body: JSON.stringify({ email, password: 'a password of eve' }),
      });
      const { date, ...headers } = Object.fromEntries(response.headers);
      expect(date).toBeDefined();
      answers.push([response.status, headers, await response.text()]);
    }
    expect(answers[0]).toEqual(answers[1]);
    const mail = await app.nextMailTo(ada);
    expect(mail).toContain('Subject: You have an account on Backchannel already');
    expect(mail).toContain('tried to sign up for Backchannel with this address.');
    expect(mail).toMatch(/\nhttp:\/\/localhost:\d+\/signin\n/);
    expect(mail).not.toContain('token=');
    await ada.call('signIn', { body: { email: ada.email, password } });
  });

  test('signing up or in again mails another link, each good for a day [AUTH-17, AUTH-42, AUTH-53]', async () => {
    const ada = app.visitor();
    const first = await signUp(ada);
    expect(first).toContain('Subject: Verify your email for Backchannel');
    expect(first).toContain('within the next day');
    await signUp(ada);
    const body = { email: ada.email, password };
    await expect(ada.call('signIn', { body })).rejects.toMatchObject({
      message: 'Please verify your email first: we have sent you a new link.',
    });
    const token = tokenOf(await app.nextMailTo(ada));
    const { iat, exp } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    ) as { iat: number; exp: number };
    expect(exp - iat).toBe(86_400);
    await ada.call('verifyEmail', { body: { token, password } });
  });
});

test('a session from before verification was required is worth nothing without it [AUTH-41]', async () => {
  const open = await startApp({ EMAIL_VERIFICATION: 'off' });
  const ada = await open.newStudent();
  expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
  await open.restart(async () => {}, { EMAIL_VERIFICATION: 'required' });
  try {
    // The connection that the old server closed is found out by the first call on it.
    await expect.poll(() => ada.call('me', {})).toEqual({ account: null });
    await expect(ada.call('listClasses', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(ada.connect()).rejects.toThrow('401');
  } finally {
    await open.stop();
  }
});
