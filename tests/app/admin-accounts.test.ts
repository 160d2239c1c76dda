// Operators help the owner of one account on /admin/accounts: the calls behind the screen.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RouteName } from '#contract/routes.ts';
import { closeCodes } from '#contract/socket-address.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { admin } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';

/** How often the server checks for due removals, and how often it does here. */
const [checkEveryMs, shorterMs] = [10_000, 200];
const startInterval = globalThis.setInterval;
vi.stubGlobal('setInterval', (act: () => void, ms: number) =>
  startInterval(act, ms === checkEveryMs ? shorterMs : ms),
);
afterEach(() => vi.useRealTimers());

const app = setUpApp({ SUPPORT_CONTACT: 'help@university.edu' });
const run = (...args: string[]) => admin(app.database.settings, ...args);
const me = async (who: TestClient) => (await who.call('me', {})).account;

async function newOperator(): Promise<TestClient> {
  const kim = await app.newStudent();
  await grantRole(app, kim, null, 'Kim');
  return kim;
}

async function acts(by: TestClient) {
  const { entries } = await by.call('listAuditLog', { query: {} });
  return entries.map(({ act, staffName, reason, classId, memberId, caseId }) => {
    expect([reason, classId, memberId, caseId]).toEqual(
      act === 'grant-operator' ? [expect.any(String), null, null, null] : ['', null, null, null],
    );
    return [act, staffName];
  });
}

async function mailThat(to: string, says: string): Promise<string> {
  const find = () => app.mails().find((mail) => mail.includes(`To: ${to}`) && mail.includes(says));
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find()!;
}

const tokenIn = (mail: string) => decodeURIComponent(/token=(\S+)/.exec(mail)![1]!);
const unverify = (who: TestClient) =>
  app.database.query(`update accounts set "emailVerified" = false where email = '${who.email}'`);

describe('an operator', () => {
  test('finds an account by its whole address, and saves what was found [ADMIN-32, ADMIN-51, ADMIN-31]', async () => {
    const kim = await newOperator();
    const ada = await app.newStudent();
    const classId = await ada.createClass();
    await ada.post(classId, 'A text of mine');
    const { devices } = await ada.call('listDevices', {});
    const supported = {
      accountAddress: ada.email,
      verified: expect.any(Boolean),
      joiningDay: new Date().toISOString().slice(0, 10),
      signsInWith: ['password'],
      signedInOn: devices.map(({ name, signedInDay }) => {
        return { deviceName: name, signInDay: signedInDay };
      }),
    };
    const email = ada.email.toUpperCase();
    expect(await kim.call('findAccount', { body: { email } })).toEqual({ supported });
    expect(await kim.call('exportFoundAccount', { body: { email } })).toEqual({ supported });
    for (const search of [ada.name, '%', ada.email.slice(1), `*${ada.email}`]) {
      const reply = await kim.call('findAccount', { body: { email: search } });
      expect(reply).toEqual({ supported: null });
    }
    expect(await acts(kim)).toEqual([
      ...Array.from({ length: 4 }, () => ['find-account', 'Kim']),
      ['export-account', 'Kim'],
      ['find-account', 'Kim'],
      ...[['grant-operator', '']],
    ]);
  });

  test('signs an account out on all devices [ADMIN-32]', async () => {
    const kim = await newOperator();
    const ada = await app.newStudent();
    const socket = await ada.connect();
    await kim.call('endAccountSessions', { body: { email: ada.email } });
    expect(await socket.closed).toBe(closeCodes.shutdown);
    await expect.poll(() => me(ada)).toBeNull();
    await ada.newBrowser().signIn();
  });

  test('sends a link to verify an address, only if it is not verified, and the link takes the password [ADMIN-34]', async () => {
    const kim = await newOperator();
    const ada = await app.newStudent();
    await unverify(ada);
    const body = { email: ada.email };
    await kim.call('resendVerification', { body });
    const token = tokenIn(await mailThat(ada.email, 'Verify your email'));
    const wrong = ada.call('verifyEmail', { body: { token, password: 'not this one' } });
    await expect(wrong).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    await ada.newBrowser().call('verifyEmail', { body: { token, password } });
    const { supported } = await kim.call('findAccount', { body });
    expect(supported?.verified).toBe(true);
    await expect(kim.call('resendVerification', { body })).rejects.toMatchObject({
      code: 'ALREADY_VERIFIED',
    });
  });

  test('sends a link to set a password, which works once [ADMIN-34]', async () => {
    const kim = await newOperator();
    const ada = await app.newStudent();
    await kim.call('sendResetLink', { body: { email: ada.email } });
    const token = tokenIn(await mailThat(ada.email, 'Set a new password'));
    const body = { token, newPassword: 'a longer password 7' };
    await ada.newBrowser().call('resetPassword', { body });
    await expect(ada.call('resetPassword', { body })).rejects.toMatchObject({
      code: 'INVALID_LINK',
    });
    const signIn = { email: ada.email, password: body.newPassword };
    await ada.newBrowser().call('signIn', { body: signIn });
  });

  test('gives an account another address only with the password of its owner [ADMIN-50, ADDRESS-2, ADDRESS-3]', async () => {
    const kim = await newOperator();
    const [ada, ben] = [await app.newStudent(), await app.newStudent()];
    const classId = await ada.createClass();
    const before = await ada.snapshot(classId);
    const newEmail = `new.${ada.email}`;
    const correct = (to: string, from = ada.email) =>
      kim.call('correctAddress', { body: { email: from, newEmail: to } });
    for (const [to, code] of [
      [ben.email, 'EMAIL_TAKEN'],
      [ben.email.replace('@', '+tag@'), 'EMAIL_TAKEN'],
      ['ada@elsewhere.edu', 'WRONG_EMAIL_DOMAIN'],
      [ada.email.toUpperCase(), 'INVALID'],
    ] as const) {
      await expect(correct(to)).rejects.toMatchObject({ code });
    }
    await expect(correct(newEmail, 'nobody@university.edu')).rejects.toMatchObject({
      code: 'NO_SUCH_ACCOUNT',
    });
    await correct(newEmail);
    const confirming = await mailThat(newEmail, 'Confirm your new address');
    expect(confirming).not.toContain(`To: ${ada.email}`);
    const token = tokenIn(confirming);
    // Nothing has changed, and whoever has the new mailbox cannot take the account over.
    expect(await me(ada)).toMatchObject({ email: ada.email });
    await kim.call('requestPasswordReset', { body: { email: newEmail } });
    const renamed = createTestClient(app.origin, newEmail);
    const guess = renamed.call('verifyEmail', { body: { token, password: 'guessed' } });
    await expect(guess).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    expect((await kim.call('findAccount', { body: { email: newEmail } })).supported).toBeNull();

    await renamed.call('verifyEmail', { body: { token, password } });
    expect(await me(renamed)).toMatchObject({ email: newEmail });
    expect((await renamed.snapshot(classId)).me).toEqual(before.me);
    await expect.poll(() => me(ada)).toBeNull();
    expect(await mailThat(ada.email, 'no longer your address')).not.toContain(newEmail);
    await expect(renamed.call('verifyEmail', { body: { token, password } })).rejects.toMatchObject({
      code: 'INVALID_LINK',
    });
    // One entry for the link; its owner's confirmation is no act of an operator.
    expect((await acts(kim)).filter(([act]) => act === 'correct-address')).toHaveLength(1);
  });

  test('cannot move an account after its password has changed, or its mailbox was taken [ADMIN-50]', async () => {
    const kim = await newOperator();
    const ada = await app.newStudent();
    const tokens: string[] = [];
    for (const name of ['one', 'two']) {
      const newEmail = `${name}.${ada.email}`;
      await kim.call('correctAddress', { body: { email: ada.email, newEmail } });
      tokens.push(tokenIn(await mailThat(newEmail, 'Confirm your new address')));
    }
    await createTestClient(app.origin, `one.${ada.email}`).signUp();
    const confirm = (token: string) =>
      ada.newBrowser().call('verifyEmail', { body: { token, password } });
    await expect(confirm(tokens[0]!)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });
    const newPassword = 'a longer password 7';
    await ada.call('changePassword', { body: { currentPassword: password, newPassword } });
    await expect(confirm(tokens[1]!)).rejects.toMatchObject({ code: 'INVALID_LINK' });
    expect(await me(ada)).toMatchObject({ email: ada.email });
  });
});

describe('the commands', () => {
  test('send the same links [ADMIN-34, ADMIN-31]', async () => {
    const ada = await app.newStudent();
    await unverify(ada);
    const sent = await run('resend-verification', '--json', ada.email.toUpperCase());
    expect([sent.code, JSON.parse(sent.out)]).toEqual([
      0,
      { message: expect.stringContaining('gets a link by mail'), email: ada.email },
    ]);
    const verifying = tokenIn(await mailThat(ada.email, 'Verify your email'));
    await ada.newBrowser().call('verifyEmail', { body: { token: verifying, password } });
    expect(await run('resend-verification', ada.email)).toMatchObject({
      code: 1,
      errors: [expect.stringContaining('This address is verified already.')],
    });
    expect((await run('send-reset-link', ada.email)).code).toBe(0);
    const token = tokenIn(await mailThat(ada.email, 'Set a new password'));
    const body = { token, newPassword: 'a longer password 7' };
    await ada.newBrowser().call('resetPassword', { body });
    for (const command of ['resend-verification', 'send-reset-link']) {
      const { code, errors } = await run(command, 'nobody@university.edu');
      expect([code, errors]).toEqual([
        1,
        ['Nothing was done: There is no account with the address nobody@university.edu.'],
      ]);
    }
  });
});
