// Operators help the owner of one account on /admin/accounts: the calls behind the screen.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import type { AppError } from '#contract/errors.ts';
import { closeCodes } from '#contract/socket-address.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { startApp } from '#tests/support/running-app.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { mailPollMs, shortenIntervals } from '#tests/support/shorten-timers.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import { changeStoredAccounts } from '#tests/support/stored-accounts.ts';

/** The interval in which the server checks for due removals, and the one in these tests. */
const checkEveryMs = 10_000;
const shorterMs = 50;
const waitForChecks = shortenIntervals(checkEveryMs, shorterMs);
shortenIntervals(mailPollMs, 100);
afterEach(() => vi.useRealTimers());

/** Advances the clock, for the server too. */
function passDays(days: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 });
}

const app = setUpApp({ SUPPORT_CONTACT: 'help@university.edu' });
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);
const getAccount = async (student: TestClient) => (await student.call('me', {})).account;

async function createOperator(): Promise<TestClient> {
  const kim = await app.createStudent();
  await grantRole(app, kim, null, 'Kim');
  return kim;
}

/** The entries of the audit log since the newest operator got the role, newest first. */
async function listActions(operator: TestClient) {
  const { entries } = await operator.call('listAuditLog', { query: {} });
  const grant = entries.findIndex(({ act }) => act === 'grant-operator');
  return entries
    .slice(0, grant + 1)
    .map(({ act, staffName, reason, classId, memberId, caseId }) => {
      expect([reason, classId, memberId, caseId]).toEqual(
        act === 'grant-operator' ? [expect.any(String), null, null, null] : ['', null, null, null],
      );
      return [act, staffName];
    });
}

async function findMailThat(to: string, says: string, from = app): Promise<string> {
  const find = () => from.mails().find((mail) => mail.includes(`To: ${to}`) && mail.includes(says));
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find()!;
}

const findToken = (mail: string) => decodeURIComponent(/token=(\S+)/.exec(mail)![1]!);
const unverify = (student: TestClient) =>
  changeStoredAccounts(app.database, student.email, { emailVerified: false });

describe('an operator', () => {
  test('an operator finds and exports an account by its whole address [ADMIN-28, ADMIN-51, ADMIN-31]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
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
    expect(await listActions(kim)).toEqual([
      ...Array.from({ length: 4 }, () => ['find-account', 'Kim']),
      ['export-account', 'Kim'],
      ['find-account', 'Kim'],
      ['grant-operator', ''],
    ]);
  });

  test('an operator sends a link that verifies an unverified address with the password [ADMIN-34]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    await unverify(ada);
    const body = { email: ada.email };
    await kim.call('resendVerification', { body });
    const token = findToken(await findMailThat(ada.email, 'Verify your email'));

    const wrongVerification = ada.call('verifyEmail', {
      body: { token, password: 'not this one' },
    });
    await expect(wrongVerification).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });

    await ada.newBrowser().call('verifyEmail', { body: { token, password } });
    const { supported } = await kim.call('findAccount', { body });
    expect(supported?.verified).toBe(true);
    await expect(kim.call('resendVerification', { body })).rejects.toMatchObject({
      code: 'ALREADY_VERIFIED',
    });
  });

  test('an operator sends a link to set a password, which works once [ADMIN-34]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    await kim.call('sendResetLink', { body: { email: ada.email } });
    const token = findToken(await findMailThat(ada.email, 'Set a new password'));
    const body = { token, newPassword: 'a longer password 7' };
    await ada.newBrowser().call('resetPassword', { body });

    await expect(ada.call('resetPassword', { body })).rejects.toMatchObject({
      code: 'INVALID_LINK',
    });

    const signIn = { email: ada.email, password: body.newPassword };
    await ada.newBrowser().call('signIn', { body: signIn });
  });

  test('an account gets another address only with the password of its owner [ADMIN-50, ADDRESS-2, ADDRESS-1]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ada.createClass();
    const firstSnapshot = await ada.snapshot(classId);
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
    const confirming = await findMailThat(newEmail, 'Confirm your new address');
    expect(confirming).not.toContain(`To: ${ada.email}`);
    const token = findToken(confirming);
    // Nothing has changed, and anyone who has the new mailbox cannot take the account over.
    expect(await getAccount(ada)).toMatchObject({ email: ada.email });

    await kim.call('requestPasswordReset', { body: { email: newEmail } });
    const renamed = createTestClient(app.origin, newEmail);
    const guess = renamed.call('verifyEmail', { body: { token, password: 'guessed' } });
    await expect(guess).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    expect((await kim.call('findAccount', { body: { email: newEmail } })).supported).toBeNull();

    await renamed.call('verifyEmail', { body: { token, password } });
    expect(await getAccount(renamed)).toMatchObject({ email: newEmail });
    expect((await renamed.snapshot(classId)).me).toEqual(firstSnapshot.me);
    await expect.poll(() => getAccount(ada)).toBeNull();
    expect(await findMailThat(ada.email, 'no longer your address')).not.toContain(newEmail);
    await expect(renamed.call('verifyEmail', { body: { token, password } })).rejects.toMatchObject({
      code: 'INVALID_LINK',
    });
    // The confirmation by the owner is no action of an operator, so it adds no entry.
    expect((await listActions(kim)).filter(([act]) => act === 'correct-address')).toHaveLength(1);
  });

  test('a corrected address cannot be confirmed after a password change or if it was taken [ADMIN-50]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    const tokens: string[] = [];
    for (const name of ['one', 'two']) {
      const newEmail = `${name}.${ada.email}`;
      await kim.call('correctAddress', { body: { email: ada.email, newEmail } });
      tokens.push(findToken(await findMailThat(newEmail, 'Confirm your new address')));
    }
    await createTestClient(app.origin, `one.${ada.email}`).signUp();
    const confirm = (token: string) =>
      ada.newBrowser().call('verifyEmail', { body: { token, password } });

    await expect(confirm(tokens[0]!)).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });

    const newPassword = 'a longer password 7';
    await ada.call('changePassword', { body: { currentPassword: password, newPassword } });
    await expect(confirm(tokens[1]!)).rejects.toMatchObject({ code: 'INVALID_LINK' });
    expect(await getAccount(ada)).toMatchObject({ email: ada.email });
  });
});

describe('an operator who deletes an account', () => {
  const remove = (kim: TestClient, email: string, repeatedEmail = email) =>
    kim.call('deleteFoundAccount', { body: { email, repeatedEmail } });

  /** Creates classes of Ben, each with a message of Ada. */
  async function createSharedClasses(
    ben: TestClient,
    ada: TestClient,
    count: number,
  ): Promise<string[]> {
    const classIds: string[] = [];
    for (let n = 0; n < count; n++) {
      const classId = await ben.createClass();
      classIds.push(classId);
      await ada.join(classId);
      await ada.post(classId, 'of ada');
    }
    return classIds;
  }

  test('an operator deletes an account by typing its address twice, and its owner gets a mail [ADMIN-52, ADMIN-31]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    const socket = await ada.connect();

    await expect(remove(kim, ada.email, `x${ada.email}`)).rejects.toMatchObject({
      code: 'INVALID',
    });
    // Another spelling of the mailbox finds the account, and does not delete it.
    for (const email of ['nobody@university.edu', ada.email.replace('@', '+tag@')]) {
      await expect(remove(kim, email)).rejects.toMatchObject({ code: 'NO_SUCH_ACCOUNT' });
    }
    expect(await getAccount(ada)).not.toBeNull();

    await remove(kim, ada.email, ` ${ada.email.toUpperCase()} `);
    expect(await socket.closed).toBe(4001);
    expect(await getAccount(ada)).toBeNull();

    const mail = await findMailThat(ada.email, 'was deleted');
    expect(mail).toContain('help@university.edu');
    expect(mail).toContain('Your messages stay');
    expect(await listActions(kim)).toEqual([
      ['delete-account', 'Kim'],
      ['grant-operator', ''],
    ]);

    const { auditLog } = await app.database.tables();
    expect(JSON.stringify(auditLog)).not.toContain(ada.email);
    await expect(remove(kim, ada.email)).rejects.toMatchObject({ code: 'NO_SUCH_ACCOUNT' });

    await ada.newBrowser().signUp();
  });

  test('a deleted account leaves its classes at random times within 30 days, and its messages stay [ADMIN-53]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classIds = await createSharedClasses(ben, ada, 8);
    const listMemberCounts = async () => {
      const rows = await app.database.query('select "classId", "memberCount" from classes');
      const ours = rows.filter(({ classId }) => classIds.includes(String(classId)));
      return ours.map(({ memberCount }) => Number(memberCount));
    };
    const countClassesWithAda = async () =>
      (await listMemberCounts()).filter((count) => count === 2).length;

    await remove(kim, ada.email);

    expect(await countClassesWithAda()).toBe(8);

    // The 24 hours of the profile page would have changed all classes by now.
    passDays(2);
    await waitForChecks();
    expect(await countClassesWithAda()).toBeGreaterThan(2);

    passDays(28.1);
    await expect.poll(listMemberCounts, { timeout: 40_000 }).toEqual(classIds.map(() => 1));

    vi.useRealTimers();
    for (const classId of classIds) {
      const { messages } = await ben.snapshot(classId);
      expect(messages.map(({ text }) => text)).toEqual(['of ada']);
    }
  });

  test('messages go at random times within 30 days if the owner asks for it [ADMIN-53]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classIds = await createSharedClasses(ben, ada, 6);
    const listTexts = async () => {
      const rows = await app.database.query('select "classId", text from messages');
      return rows.filter(({ classId, text }) => classIds.includes(String(classId)) && text !== '');
    };

    const { email } = ada;
    await kim.call('deleteFoundAccount', {
      body: { email, repeatedEmail: email, messages: 'delete' },
    });

    expect(await findMailThat(email, 'was deleted')).toContain('within 30 days');
    expect(await listTexts()).toHaveLength(6);
    passDays(30.1);
    await expect.poll(listTexts, { timeout: 40_000 }).toEqual([]);
  });

  test('an operator cannot delete the account of an operator [ADMIN-52]', async () => {
    const kim = await createOperator();
    const lee = await createOperator();

    for (const { email } of [kim, lee]) {
      await expect(remove(kim, email)).rejects.toMatchObject({ code: 'OPERATOR_ACCOUNT' });
    }
    expect(await getAccount(lee)).not.toBeNull();

    expect(await run('revoke-role', lee.email)).toMatchObject({ code: 0 });
    await remove(kim, lee.email);
    expect(await getAccount(lee)).toBeNull();
  });

  test('if two operators delete one account simultaneously, its owner gets one mail [ADMIN-52]', async () => {
    const kim = await createOperator();
    const lee = await createOperator();
    const ada = await app.createStudent();
    const tries = await Promise.allSettled(
      [kim, lee].map((operator) => remove(operator, ada.email)),
    );

    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(tries.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'NO_SUCH_ACCOUNT' },
    });

    await findMailThat(ada.email, 'was deleted');
    const mails = app.mails().filter((mail) => mail.includes(`To: ${ada.email}`));
    expect(mails.filter((mail) => mail.includes('was deleted'))).toHaveLength(1);
  });
});

test('links to new addresses allow no more guesses of the password [ADMIN-50, LIMIT-3]', async () => {
  const limited = await startApp({ LIMITS: 'failedSignIns=2/1h' });
  try {
    const kim = await limited.createStudent();
    const ada = await limited.createStudent();
    await grantRole(limited, kim, null, 'Kim');
    const tokens: string[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const newEmail = `${name}.${ada.email}`;
      await kim.call('correctAddress', { body: { email: ada.email, newEmail } });
      tokens.push(findToken(await findMailThat(newEmail, 'Confirm your new address', limited)));
    }
    const codes: string[] = [];
    // The waits after failures must not end during the test.
    vi.useFakeTimers({ toFake: ['performance'] });

    for (const token of tokens) {
      const guess = { token, password: 'guessed' };
      await limited
        .visitor()
        .call('verifyEmail', { body: guess })
        .catch((error: AppError) => codes.push(error.code));
    }

    expect(codes).toEqual(['WRONG_PASSWORD', 'WRONG_PASSWORD', 'TOO_MANY', 'TOO_MANY']);
    const signIn = { email: ada.email, password };
    await expect(limited.visitor().call('signIn', { body: signIn })).rejects.toMatchObject({
      code: 'TOO_MANY',
    });
  } finally {
    await limited.stop();
  }
});

describe('the commands', () => {
  test('the commands send the links that operators send [ADMIN-34, ADMIN-31]', async () => {
    const ada = await app.createStudent();
    await unverify(ada);

    const linkCommand = await run('resend-verification', '--json', ada.email.toUpperCase());

    expect([linkCommand.code, JSON.parse(linkCommand.out)]).toEqual([
      0,
      { message: expect.stringContaining('gets a link by mail'), email: ada.email },
    ]);

    const verifying = findToken(await findMailThat(ada.email, 'Verify your email'));
    await ada.newBrowser().call('verifyEmail', { body: { token: verifying, password } });
    expect(await run('resend-verification', ada.email)).toMatchObject({
      code: 1,
      errors: [expect.stringContaining('This address is verified already.')],
    });
    expect((await run('send-reset-link', ada.email)).code).toBe(0);

    const token = findToken(await findMailThat(ada.email, 'Set a new password'));
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

  test('a person without mailbox and password gets a copy of the data, once, a day later [ADMIN-92]', async () => {
    const kim = await createOperator();
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    await ada.post(classId, 'of ada');
    const to = `${ada.name}@home.example`;
    const take = async (mail: string) => {
      const body = { token: findToken(mail) };
      return accountExportSchema.parse(await app.visitor().call('takeDataCopy', { body }));
    };

    const { code, out } = await run('mail-data-copy', ada.email, to);
    const mail = await findMailThat(to, 'A copy of your data');

    expect([code, out]).toEqual([0, expect.not.stringContaining('token')]);
    await findMailThat(ada.email, 'Someone gets a copy of your data');
    await expect(take(mail)).rejects.toMatchObject({ code: 'INVALID_LINK' });
    passDays(1);
    const { email, classes } = await take(mail);
    expect([email, classes[0]?.messages[0]?.text]).toEqual([ada.email, 'of ada']);
    await expect(take(mail)).rejects.toMatchObject({ code: 'INVALID_LINK' });
    const { entries } = await kim.call('listAuditLog', { query: {} });
    expect(entries.slice(0, 2)).toMatchObject([
      { act: 'take-data-copy', staffName: '', classId: null, memberId: null },
      { act: 'mail-data-copy', staffName: '', classId: null, memberId: null, reason: '' },
    ]);
  });

  test('a new password ends the link to a copy of the data [ADMIN-92]', async () => {
    const ada = await app.createStudent();
    await run('mail-data-copy', ada.email, `${ada.name}@home.example`);
    const token = findToken(await findMailThat(`${ada.name}@home.example`, 'A copy of your data'));
    const body = { currentPassword: password, newPassword: 'a longer password 8' };
    await ada.call('changePassword', { body });
    passDays(2);

    const taking = app.visitor().call('takeDataCopy', { body: { token } });

    await expect(taking).rejects.toMatchObject({ code: 'INVALID_LINK' });
  });

  test('delete-account shows an account before it deletes it, and the server closes its sockets [ADMIN-52, ADMIN-53]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const classId = await ben.createClass();
    await ada.join(classId);
    await ada.post(classId, 'of ada');
    const body = { ignored: [], hidden: [], muted: true, version: 0 };
    const params = { classId };
    await ben.call('savePreferences', { params, body });
    await ada.call('savePreferences', { params, body });
    const socket = await ada.connect();

    const dryRun = await run('delete-account', ada.email);

    expect([dryRun.code, dryRun.out]).toEqual([0, expect.stringContaining('add --yes')]);
    expect(await getAccount(ada)).not.toBeNull();

    const deletion = await run('delete-account', '--yes', '--json', ada.email);
    expect([deletion.code, JSON.parse(deletion.out)]).toMatchObject([0, { isDeleted: true }]);
    expect(await socket.closed).toBe(closeCodes.signedOut);
    expect(await getAccount(ada)).toBeNull();

    await findMailThat(ada.email, 'was deleted');
    expect((await ben.snapshot(classId)).messages.map(({ text }) => text)).toEqual(['of ada']);

    // Preferences of others that the server has not written yet stay.
    await app.restart();
    expect(await ben.call('readPreferences', { params })).toMatchObject({ muted: true });
    expect(await run('delete-account', '--yes', ada.email)).toMatchObject({
      code: 1,
      errors: [expect.stringContaining('There is no account with the address')],
    });

    const kim = await createOperator();
    expect(await run('delete-account', '--yes', kim.email)).toMatchObject({
      code: 1,
      errors: [expect.stringContaining('This is the account of an operator')],
    });
    // The command waits a minute for what the server has not written yet.
  }, 180_000);
});
