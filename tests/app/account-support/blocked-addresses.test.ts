// Addresses that operators block: they can have no account and get no mail.
import { beforeAll, expect, test } from 'vitest';
import { waitUntilMailsSent } from '#tests/support/digests.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { mailPollMs, shortenIntervals } from '#tests/support/shorten-timers.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';

shortenIntervals(mailPollMs, 100);
const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);
let operator: TestClient;
beforeAll(async () => {
  operator = await app.createStudent();
  await grantRole(app, operator, null, 'Kim');
});

const block = (email: string, blockReason = 'Left the university') =>
  operator.call('blockAddress', { body: { email, blockReason } });
const listBlocks = async () => (await operator.call('listBlockedAddresses', {})).blocks;
const listMailsTo = ({ email }: TestClient, from: RunningApp = app) =>
  from.mails().filter((mail) => mail.includes(`To: ${email}`));
const blocked = { code: 'ADDRESS_BLOCKED' };

test('a blocked address is signed out, and can neither sign in nor sign up again [ADMIN-85]', async () => {
  const ada = await app.createStudent();
  const socket = await ada.connect();
  const wrongCredentials = { email: ada.email, password: 'a wrong password' };

  await block(ada.email.toUpperCase());

  await socket.closed;
  expect((await ada.call('me', {})).account).toBeNull();
  const browser = ada.newBrowser();
  await expect(browser.signIn()).rejects.toMatchObject(blocked);
  // Who does not know the password learns nothing of the block.
  await expect(browser.call('signIn', { body: wrongCredentials })).rejects.toMatchObject({
    code: 'WRONG_CREDENTIALS',
  });
  const newcomer = app.visitor('newcomer');
  await block(newcomer.email.replace('@', '+tag@'));
  await expect(newcomer.signUp()).rejects.toMatchObject(blocked);

  expect(await run('unblock-address', ada.email)).toMatchObject({ code: 0 });
  await browser.signIn();
});

test('a mailed change of the address ends with a block of the old one [ADMIN-85]', async () => {
  const ada = await app.createStudent();
  const newEmail = `new.${ada.email}`;
  await operator.call('correctAddress', { body: { email: ada.email, newEmail } });
  const findMail = () => app.mails().find((mail) => mail.includes(`To: ${newEmail}`));
  await expect.poll(findMail).toBeDefined();
  const token = decodeURIComponent(/token=(\S+)/.exec(findMail()!)![1]!);

  await block(ada.email);

  const confirmation = { token, password };
  await expect(
    app.visitor('anyone').call('verifyEmail', { body: confirmation }),
  ).rejects.toMatchObject(blocked);
});

test('no account gets a blocked address, neither by the command nor by a mailed link [ADDRESS-1, ADMIN-50]', async () => {
  const ada = await app.createStudent();
  const newEmail = `moved.${ada.email}`;
  await block(newEmail.replace('@', '+tag@'));

  const { code, errors } = await run('correct-address', ada.email, newEmail);
  expect([code, errors.join()]).toEqual([1, expect.stringContaining('is blocked')]);
  await expect(
    operator.call('correctAddress', { body: { email: ada.email, newEmail } }),
  ).rejects.toMatchObject(blocked);

  expect(await run('unblock-address', newEmail)).toMatchObject({ code: 0 });
  expect(await run('correct-address', ada.email, newEmail)).toMatchObject({ code: 0 });
});

test('a block stays when the names of its mail domain are joined [ADMIN-85, CONF-37]', async () => {
  const other = await startApp({ EMAIL_DOMAIN: 'university.edu,old.edu' });
  try {
    const settings = () => other.database.settings;
    await runAdminCommand(settings(), 'block-address', 'kim@old.edu', 'Asked');
    const names = { EMAIL_DOMAIN: 'university.edu=old.edu' };
    await other.restart(async () => {}, names);

    for (const email of ['kim@old.edu', 'kim+new@university.edu']) {
      const signingUp = other.visitor().call('signUp', { body: { email, password } });
      await expect(signingUp).rejects.toMatchObject(blocked);
    }

    const environment = { ...settings(), ...names };
    expect(
      await runAdminCommand(environment, 'unblock-address', 'kim@university.edu'),
    ).toMatchObject({ code: 0 });
    await other.visitor('kim').signUp();
  } finally {
    await other.stop();
  }
});

test('no mail leaves for a blocked address, and a sign-up that needs one tells nothing [ADMIN-85]', async () => {
  const other = await startApp({ EMAIL_VERIFICATION: 'required' });
  try {
    const kim = other.visitor('kim');
    const lee = other.visitor('lee');
    const settings = other.database.settings;
    expect(await runAdminCommand(settings, 'block-address', kim.email, 'Asked')).toMatchObject({
      code: 0,
    });

    const signUp = ({ email }: TestClient) => kim.call('signUp', { body: { email, password } });
    expect(await signUp(kim)).toEqual(await signUp(lee));
    await kim.call('requestPasswordReset', { body: { email: kim.email } });

    await expect.poll(() => listMailsTo(lee, other)).toHaveLength(1);
    await waitUntilMailsSent(other);
    expect(listMailsTo(kim, other)).toEqual([]);
  } finally {
    await other.stop();
  }
});

test('an account is deleted and its address blocked in one step, without a mail [ADMIN-85, ADMIN-86]', async () => {
  const ada = await app.createStudent();
  const { email } = ada;
  const body = { email, repeatedEmail: email, blockReason: ' Mailbox of someone else ' };

  await operator.call('deleteFoundAccount', { body });

  const signUp = { body: { email, password } };
  await expect(app.visitor('again').call('signUp', signUp)).rejects.toMatchObject(blocked);
  expect(await listBlocks()).toContainEqual({
    blockId: expect.any(String),
    blockedDay: new Date().toISOString().slice(0, 10),
    reason: 'Mailbox of someone else',
  });
  await waitUntilMailsSent(app);
  expect(listMailsTo(ada)).toEqual([]);
  const { entries } = await operator.call('listAuditLog', { query: {} });
  expect(entries.slice(0, 2).map(({ act, reason }) => [act, reason])).toEqual([
    ['block-address', ''],
    ['delete-account', ''],
  ]);
  // Neither the address nor its mailbox is in the database.
  const storedText = JSON.stringify(await app.database.tables());
  expect(storedText).not.toContain(email);
  expect(storedText).not.toContain('Mailbox of someone else');
});

test('only operators see and change blocks, and an operator cannot be blocked [ADMIN-86]', async () => {
  const student = await app.createStudent();
  await expect(block(operator.email)).rejects.toMatchObject({ code: 'OPERATOR_ACCOUNT' });
  for (const blockReason of ['', ' ', 'x'.repeat(501), 'two\nlines']) {
    await expect(block(student.email, blockReason)).rejects.toMatchObject({ code: 'INVALID' });
  }
  await block(student.email, 'First');
  await block(student.email, 'Second');

  const blocks = (await listBlocks()).filter(({ reason }) => ['First', 'Second'].includes(reason));
  expect(blocks.map(({ reason }) => reason)).toEqual(['Second']);
  const params = { blockId: blocks[0]!.blockId };
  expect((await run('list-blocked-addresses')).out).toMatch(/^\d{4}-\d\d-\d\d\tSecond$/m);
  await operator.call('unblockAddress', { params });
  await expect(operator.call('unblockAddress', { params })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect((await run('unblock-address', student.email)).errors.join()).toContain('is not blocked');
  await student.newBrowser().signIn();
});

test('a new server key ends all blocks [ADMIN-9]', async () => {
  const other = await startApp();
  try {
    const { settings } = other.database;
    await runAdminCommand(settings, 'block-address', 'kim@university.edu', 'Asked');
    expect((await runAdminCommand(settings, 'list-blocked-addresses')).out).toContain('Asked');

    await other.restart(async () => {
      expect(await runAdminCommand(settings, 'new-key', '--yes')).toMatchObject({ code: 0 });
    });

    expect((await other.database.tables())['blockedAddresses']).toEqual([]);
  } finally {
    await other.stop();
  }
});
