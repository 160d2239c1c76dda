// Administrators correct the address of an account, and move the addresses of a domain that has a new name.
import { describe, expect, test } from 'vitest';
import { closeCodes } from '#contract/socket-address.ts';
import { grantRole, report, suspend } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';

const settings = { EMAIL_DOMAIN: 'university.edu,riverside.edu' };
const app = setUpApp(settings);
const run = (...args: string[]) =>
  runAdminCommand({ ...settings, ...app.database.settings }, ...args);
const createBrowser = (email: string) => createTestClient(app.origin, email);
const getAccount = async (student: TestClient) => (await student.call('me', {})).account;

/** The mails of one commit leave in no order. */
async function findMailThat(to: string, says: string): Promise<string> {
  const find = () => app.mails().find((mail) => mail.includes(`To: ${to}`) && mail.includes(says));
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find()!;
}

async function createOperator() {
  const sam = await app.createStudent();
  await grantRole(app, sam, null, 'Sam');
  return sam;
}

async function listActions(operator: TestClient) {
  const { entries } = await operator.call('listAuditLog', { query: {} });
  return entries.map(({ act, staffName, reason }) => [act, staffName, reason]);
}

describe('correct-address', () => {
  test('correct-address moves the account to the new address, signs it out and tells both addresses [ADDRESS-1, ADDRESS-2]', async () => {
    const sam = await createOperator();
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    await ada.post(classId, 'Mine');
    const roomBefore = await ada.snapshot(classId);
    const socket = await ada.connect();
    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    const token = /token=(\S+)/.exec(await app.waitForNextMailTo(ada))![1]!;

    const { code, out } = await run(
      'correct-address',
      ada.email.toUpperCase(),
      'Lovelace@riverside.edu',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('is now lovelace@riverside.edu.')]);
    expect(await socket.closed).toBe(closeCodes.signedOut);
    expect(await getAccount(ada)).toBeNull();

    const body = { token, newPassword: 'another long password' };
    await expect(ada.call('resetPassword', { body })).rejects.toMatchObject({
      code: 'INVALID_LINK',
    });
    await expect(ada.newBrowser().signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

    const renamed = createBrowser('lovelace@riverside.edu');
    await renamed.signIn();
    expect(await renamed.snapshot(classId)).toMatchObject({ me: roomBefore.me });

    const old = await findMailThat(ada.email, 'This is no longer your address on Backchannel');
    expect(old).not.toContain('lovelace');

    const next = await findMailThat(renamed.email, 'This is now your address on Backchannel');
    expect(next).not.toContain(ada.email);

    expect((await listActions(sam))[0]).toEqual(['correct-address', '', '']);
    expect(app.logLines.join()).not.toMatch(/lovelace/i);
    // Also not in SQLite's files.
    expect(await app.database.content()).not.toContain(ada.email);

    // The old address is free.
    await ada.newBrowser().signUp();
  });

  test('correct-address rejects an address that an account cannot have [ADDRESS-1]', async () => {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    for (const [from, to, reason] of [
      ['nobody@university.edu', 'x@university.edu', 'There is no account'],
      [ada.email, ben.email, 'Another account has the address'],
      [ada.email, ben.email.replace('@', '+tag@'), 'Another account has the address'],
      [ada.email, 'ada@elsewhere.edu', 'Please use a valid @university.edu or @riverside.edu'],
      [ada.email, ada.email.toUpperCase(), 'the two addresses are equal'],
      [ada.email, 'ada university.edu', 'Please use a valid'],
    ] as const) {
      const { code, errors } = await run('correct-address', from, to);
      expect([to, code, errors.join()]).toEqual([to, 1, expect.stringContaining(reason)]);
    }

    const foreign = { ...app.database.settings, SECRET_KEY: 'x'.repeat(40) };
    const { errors } = await runAdminCommand(
      foreign,
      'correct-address',
      ada.email,
      'new@university.edu',
    );
    expect(errors.join()).toContain('belongs to another server key');
    expect(await getAccount(ada)).not.toBeNull();
    // Another spelling of the account's own mailbox is not taken.
    expect((await run('correct-address', ada.email, `${ada.name}+own@university.edu`)).code).toBe(
      0,
    );
  });

  test('correct-address does not end a suspension, which follows to the new mailbox [ADDRESS-2]', async () => {
    const sam = await createOperator();
    const author = await app.createStudent();
    const reporter = await app.createStudent();
    const classId = await author.createClass();
    await reporter.join(classId);
    const { id } = await author.post(classId, 'bad words');
    await report(reporter, classId, { messageId: id });

    await suspend(app, sam, id);
    expect((await run('correct-address', author.email, 'same.person@riverside.edu')).code).toBe(0);

    const renamed = createBrowser('same.person@riverside.edu');
    await renamed.signIn();
    expect(await getAccount(renamed)).toMatchObject({ suspended: true });

    await renamed.call('deleteAccount', { body: { password, messages: 'keep' } });
    const sameMailbox = createBrowser('same.person+2@riverside.edu');
    await sameMailbox.signUp();
    await expect.poll(async () => (await getAccount(sameMailbox))?.suspended).toBe(true);
  });
});

describe('rename-domain', () => {
  test('rename-domain shows a preview, then moves each address that is free [ADDRESS-5]', async () => {
    const sam = await createOperator();
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    const tagged = app.visitor(`tagged-${ada.name}+notes`);
    await tagged.signUp();
    const twin = createBrowser(ben.email.replace('university', 'riverside'));
    await twin.signUp();
    const listEmails = async () => {
      const { accounts } = await app.database.tables();
      return new Set(accounts!.map(({ email }) => email));
    };
    const emailsBefore = await listEmails();

    const preview = await run('rename-domain', 'University.edu', '@riverside.edu');
    expect(preview.code).toBe(0);
    expect(preview.out).toMatch(/\d+ accounts would move from @university\.edu to @riverside\.edu/);
    expect(preview.out).toContain(
      `These stay, because another account has the new address: ${ben.email}.`,
    );
    expect(await listEmails()).toEqual(emailsBefore);

    const { code, out } = await run('rename-domain', 'university.edu', 'riverside.edu', '--yes');
    expect([code, out]).toEqual([0, expect.stringContaining('moved from @university.edu')]);
    expect(await getAccount(ada)).toMatchObject({ email: `${ada.name}@riverside.edu` });
    expect(await getAccount(tagged)).toMatchObject({
      email: `tagged-${ada.name}+notes@riverside.edu`,
    });
    expect(await getAccount(ben)).toMatchObject({ email: ben.email });
    expect(await getAccount(twin)).toMatchObject({ email: twin.email });

    await createBrowser(`${ada.name}@riverside.edu`).signIn();
    // The mailbox moved, too: no second account fits into it.
    const second = createBrowser(`tagged-${ada.name}+other@riverside.edu`);
    await expect(second.signUp()).rejects.toMatchObject({ code: 'EMAIL_TAKEN' });

    const secondRun = await run('rename-domain', 'university.edu', 'riverside.edu', '--yes');
    expect(secondRun.out).toContain('0 accounts moved');

    const acts = (await listActions(sam)).filter(([act]) => act === 'rename-domain');
    expect(acts).toEqual([['rename-domain', '', 'university.edu to riverside.edu']]);
  });

  test('rename-domain rejects a domain that EMAIL_DOMAIN does not name [ADDRESS-5]', async () => {
    for (const [from, to, reason] of [
      ['university.edu', 'elsewhere.edu', 'EMAIL_DOMAIN does not name elsewhere.edu'],
      ['university.edu', 'University.edu', 'the two domains are equal'],
      ['ada@university.edu', 'riverside.edu', 'is not a domain'],
    ] as const) {
      const { code, errors } = await run('rename-domain', from, to, '--yes');
      expect([from, code, errors.join()]).toEqual([from, 1, expect.stringContaining(reason)]);
    }
  });
});
