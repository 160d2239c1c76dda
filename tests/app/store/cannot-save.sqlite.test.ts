// What happens to a change that the database cannot save, simulated by triggers and by its lock.
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { listStoredAccounts, changeStoredSessions } from '#tests/support/stored-accounts.ts';
import { getToday } from '#server/base/days.ts';

const app = setUpApp();

test('a sign-up whose password cannot be saved creates no account and can be repeated [AUTH-9, ERROR-6]', async () => {
  const cleo = app.visitor('cleo');
  const signUp = () => cleo.signUp();

  await app.database.query(`create trigger session_kept before insert on sessions
    begin select raise(abort, 'not now'); end`);
  await expect(signUp()).rejects.toMatchObject({ code: 'INTERNAL' });

  await app.database.query('drop trigger session_kept');
  const emails = (await listStoredAccounts(app.database)).map(({ email }) => email);
  expect(emails).not.toContain(cleo.email);

  await signUp();
  await cleo.signIn();
});

test('a sign-out that cannot be saved returns an error, and the browser stays signed in [AUTH-18, ERROR-6]', async () => {
  const dan = await app.createStudent();
  await app.database.query(`create trigger session_gone before delete on sessions
    begin select raise(abort, 'not now'); end`);
  await expect(dan.call('signOut', {})).rejects.toMatchObject({ code: 'INTERNAL' });
  expect((await dan.call('me', {})).account).toMatchObject({ email: dan.email });

  await app.database.query('drop trigger session_gone');
  await dan.call('signOut', {});
  expect((await dan.call('me', {})).account).toBeNull();
});

test('a reset that cannot be saved does not use up its link [AUTH-16, ERROR-6]', async () => {
  const eve = await app.createStudent();
  const mail = app.waitForNextMailTo(eve);
  await eve.call('requestPasswordReset', { body: { email: eve.email } });
  const token = /token=(\S+)/.exec(await mail)?.[1] ?? '';
  const newPassword = 'another long password';
  const reset = () => app.visitor().call('resetPassword', { body: { token, newPassword } });

  await app.database.query(`create trigger password_set before update on accounts
    begin select raise(abort, 'not now'); end`);
  await expect(reset()).rejects.toMatchObject({ code: 'INTERNAL' });

  await app.database.query('drop trigger password_set');
  await reset();
  await eve.call('signIn', { body: { email: eve.email, password: newPassword } });
  await expect(reset()).rejects.toMatchObject({ code: 'INVALID_LINK' });
});

test('a session stays valid if its renewal cannot be saved [ERROR-6]', async () => {
  const fay = await app.createStudent();
  await changeStoredSessions(app.database, { endDay: getToday() + 5 });

  await app.database.query(`create trigger session_renewed before update on sessions
    begin select raise(abort, 'not now'); end`);

  expect((await fay.call('me', {})).account).toMatchObject({ email: fay.email });

  await app.database.query('drop trigger session_renewed');
});
