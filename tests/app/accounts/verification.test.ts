import { describe, expect, test, vi } from 'vitest';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';

const app = setUpApp({ EMAIL_VERIFICATION: 'required' });

const findToken = (mail: string) => /\/verify-email#token=(\S+)/.exec(mail)?.[1] ?? '';

async function signUp(student: TestClient, chosenPassword = password): Promise<string> {
  const body = { email: student.email, password: chosenPassword };
  expect(await student.call('signUp', { body })).toEqual({ verify: true });
  return app.waitForNextMailTo(student);
}

describe('if verification is required', () => {
  test('the mailed link signs in after its button is pressed and the password is entered [AUTH-40]', async () => {
    const ada = app.visitor();

    const token = findToken(await signUp(ada));

    expect(token).toMatch(/^[\w-]{100,900}$/);

    // A mail scanner opens links in this way.
    await ada.fetch(`/verify-email?token=${token}`);
    await ada.fetch(`/api/auth/verify-email?token=${token}`);
    await expect(ada.signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

    const wrongPassword = ada.call('verifyEmail', { body: { token, password: 'something else' } });
    await expect(wrongPassword).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
      message: 'This is not your current password.',
    });
    expect(await ada.call('me', {})).toEqual({ account: null });

    await ada.call('verifyEmail', { body: { token, password } });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    expect(await ada.call('listClasses', {})).toEqual({ classes: [] });
  });

  test('a forged link verifies nothing, and the server stores nothing before a link is used [AUTH-40, AUTH-20, AUTH-55]', async () => {
    const ada = app.visitor();
    const eve = app.visitor();
    const tablesBefore = await app.database.tables();
    const token = findToken(await signUp(ada));
    const eveToken = findToken(await signUp(eve));
    const middle = Math.floor(token.length / 2);

    for (const forgedToken of [
      eveToken.slice(0, middle) + token.slice(middle),
      `${token}x`,
      token.slice(0, -1),
      token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      'x',
      'A'.repeat(200),
    ]) {
      const verification = eve.call('verifyEmail', { body: { token: forgedToken, password } });
      await expect(verification).rejects.toMatchObject({ code: 'INVALID_LINK' });
    }
    expect(await app.database.tables()).toEqual(tablesBefore);
    // The link contains nothing readable: no address, and no hash to test a password against.
    const linkText = Buffer.from(token, 'base64url').toString('latin1');
    expect(linkText).not.toMatch(/argon2|university/);
  });

  test('a sign-up with another person’s address does not block its owner [AUTH-55, AUTH-40]', async () => {
    const ada = app.visitor('ada.early');
    const eve = app.visitor('ada.early');
    const evil = { email: eve.email, password: 'a password of eve' };
    const firstToken = findToken(await signUp(eve, evil.password));
    const token = findToken(await signUp(ada));
    const lastToken = findToken(await signUp(eve, evil.password));

    // The attacker's links do not open with the owner's password.
    const pressed = ada.call('verifyEmail', { body: { token: firstToken, password } });
    await expect(pressed).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });

    await ada.call('verifyEmail', { body: { token, password } });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    // After the account exists, no other link has an effect.
    for (const lateToken of [firstToken, lastToken]) {
      const secondVerification = eve.call('verifyEmail', {
        body: { token: lateToken, password: evil.password },
      });
      await expect(secondVerification).rejects.toMatchObject({ code: 'INVALID_LINK' });
    }

    const evilSignIn = eve.call('signIn', { body: evil });
    await expect(evilSignIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
    expect(await eve.call('me', {})).toEqual({ account: null });

    await ada.signIn();
  });

  test('a link that is used several times makes one account [AUTH-55]', async () => {
    const ada = app.visitor();
    const token = findToken(await signUp(ada));
    const verify = () => ada.call('verifyEmail', { body: { token, password } });
    await Promise.all([verify(), verify(), verify()]);

    await verify();

    const rows = await app.database.query(
      `select id from accounts where "addressKey" = ${quoteAddressKey(app.database, ada.email)}`,
    );
    expect(rows).toHaveLength(1);

    // After a password change the old link is invalid.
    const newPassword = 'another good one';
    await ada.call('changePassword', { body: { currentPassword: password, newPassword } });
    await expect(verify()).rejects.toMatchObject({ code: 'INVALID_LINK' });
  });

  test('a wrong password at a link counts like one at sign-in [AUTH-56, LIMIT-3]', async () => {
    const limited = await startApp({
      EMAIL_VERIFICATION: 'required',
      LIMITS: 'failedSignIns=3/10m',
    });
    try {
      const ada = limited.visitor();
      const eve = limited.visitor();
      const links: string[] = [];
      for (const student of [ada, eve]) {
        await student.signUp();
        links.push(findToken(await limited.waitForNextMailTo(student)));
      }
      const tries = Array.from({ length: 12 }, () =>
        eve
          .call('verifyEmail', { body: { token: links[1]!, password: 'guess' } })
          .catch((error: unknown) => (error as { code: string }).code),
      );
      const codes = await Promise.all(tries);

      expect(codes.filter((code) => code === 'WRONG_PASSWORD')).toHaveLength(3);
      expect(codes.filter((code) => code === 'TOO_MANY')).toHaveLength(9);

      await ada.call('verifyEmail', { body: { token: links[0]!, password } });
    } finally {
      await limited.stop();
    }
  });

  test('the reply to a sign-up is the same for a taken address, whose owner gets a mail [AUTH-42]', async () => {
    const ada = app.visitor();
    const token = findToken(await signUp(ada));
    await ada.call('verifyEmail', { body: { token, password } });
    const eve = app.visitor();
    const replies = [] as unknown[];

    for (const email of [ada.email, eve.email]) {
      const response = await eve.fetch('/api/auth/sign-up/email', {
        method: 'POST',
        body: JSON.stringify({ email, password: 'a password of eve' }),
      });
      const { date, ...headers } = Object.fromEntries(response.headers);
      expect(date).toBeDefined();
      replies.push([response.status, headers, await response.text()]);
    }
    expect(replies[0]).toEqual(replies[1]);

    const mail = await app.waitForNextMailTo(ada);
    expect(mail).toContain('Subject: You already have an account on Backchannel');
    expect(mail).toContain('tried to sign up for Backchannel with this address.');
    expect(mail).toMatch(/\nhttp:\/\/localhost:\d+\/signin\n/);
    expect(mail).not.toContain('token=');

    await ada.signIn();
  });

  test('signing up again sends another link, which is valid for a day [AUTH-55, AUTH-15]', async () => {
    const ada = app.visitor();

    const firstMail = await signUp(ada);

    expect(firstMail).toContain('Subject: Verify your email for Backchannel');
    expect(firstMail).toContain('within the next day');

    const token = findToken(await signUp(ada));
    const verify = () => ada.call('verifyEmail', { body: { token, password } });
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 86_400_000);
      await expect(verify()).rejects.toMatchObject({ code: 'INVALID_LINK' });

      vi.setSystemTime(Date.now() - 60_000);
      await verify();
    } finally {
      vi.useRealTimers();
    }
  });
});

test('an account from before verification was required gets a link when its owner signs in [AUTH-17, AUTH-55]', async () => {
  const open = await startApp({ EMAIL_VERIFICATION: 'off' });
  const ada = await open.createStudent();
  const eve = await open.createStudent('squatted');
  await open.restart(async () => {}, { EMAIL_VERIFICATION: 'required' });
  try {
    const body = { email: ada.email, password };
    await expect.poll(() => ada.call('me', {})).toEqual({ account: null });
    await expect(ada.call('signIn', { body })).rejects.toMatchObject({
      message: 'Please verify your email first. We have sent you a new link.',
    });

    const token = findToken(await open.waitForNextMailTo(ada));
    await ada.call('verifyEmail', { body: { token, password } });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });

    // The owner of the mailbox takes over an account that another person created and never verified.
    const owner = open.visitor('squatted');
    const ownerPassword = 'a password of its owner';
    await owner.call('signUp', { body: { email: owner.email, password: ownerPassword } });
    const link = findToken(await open.waitForNextMailTo(owner));
    await owner.call('verifyEmail', { body: { token: link, password: ownerPassword } });

    expect(await owner.call('me', {})).toMatchObject({ account: { email: owner.email } });
    expect(await eve.call('me', {})).toEqual({ account: null });

    const oldSignIn = eve.signIn();
    await expect(oldSignIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  } finally {
    await open.stop();
  }
});

test('a session from before verification was required is rejected until the account is verified [AUTH-41]', async () => {
  const open = await startApp({ EMAIL_VERIFICATION: 'off' });
  const ada = await open.createStudent();

  expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });

  await open.restart(async () => {}, { EMAIL_VERIFICATION: 'required' });
  try {
    // The client notices on its first call that the old server closed the connection.
    await expect.poll(() => ada.call('me', {})).toEqual({ account: null });
    await expect(ada.call('listClasses', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(ada.connect()).rejects.toThrow('401');
  } finally {
    await open.stop();
  }
});
