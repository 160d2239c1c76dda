// Commands that help the owner of an account and reveal nothing of its classes.
import { expect, test } from 'vitest';
import { closeCodes } from '#contract/socket-address.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);
const getAccount = async (student: TestClient) => (await student.call('me', {})).account;

async function createOperator() {
  const sam = await app.createStudent();
  await grantRole(app, sam, null, 'Sam');
  return sam;
}

async function listAuditEntries(sam: TestClient, act: string) {
  const { entries } = await sam.call('listAuditLog', { query: {} });
  return entries.filter((entry) => entry.act === act);
}

test('find-account says what an account is and never what it does [ADMIN-28, ADMIN-29]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass({ courseName: 'Zoology of Whales' });
  const { me: persona } = await ada.snapshot(classId);
  await ada.post(classId, 'A text of mine');
  const { devices } = await ada.call('listDevices', {});

  const { code, out } = await run('find-account', '--json', ada.email.toUpperCase());
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    message: expect.stringContaining(`${ada.email} joined on `),
    email: ada.email,
    verified: expect.any(Boolean),
    createdDay: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    signsInWith: ['password'],
    devices: devices.map(({ name, signedInDay }) => ({ name, signedInDay })),
  });
  for (const secret of [classId, 'Whales', 'A text of mine', ...Object.values(persona ?? {})]) {
    if (typeof secret === 'string' && secret.length > 2) expect(out).not.toContain(secret);
  }

  // A tagged address is the same mailbox, and a pasted one the same address, as at the sign-in.
  const tagged = ada.email.replace('@', '+tag@');
  for (const typedEmail of [tagged, `"Ada" <${ada.email}>, `, `mailto:\u200b${ada.email}`]) {
    expect((await run('find-account', typedEmail)).out).toContain(`${ada.email} joined on `);
  }
});

test('only a whole address finds an account, and each search is audited [ADMIN-29, ADMIN-31]', async () => {
  const sam = await createOperator();
  const ada = await app.createStudent();
  const countBefore = (await listAuditEntries(sam, 'find-account')).length;
  const invalidSearches = [
    ada.name,
    ada.email.slice(0, -1),
    '%',
    '%@university.edu',
    `*${ada.email}`,
  ];

  for (const search of [...invalidSearches, `${'a'.repeat(5000)}@university.edu`, "' or 1=1 --"]) {
    const { code, errors } = await run('find-account', search);
    expect([search, code, errors]).toEqual([
      search,
      1,
      [`Nothing was done: There is no account with the address ${search}.`],
    ]);
  }

  const entries = await listAuditEntries(sam, 'find-account');
  expect(entries.length - countBefore).toBe(invalidSearches.length + 2);
  for (const entry of entries) {
    expect(entry).toMatchObject({ staffName: '', reason: '', classId: null, memberId: null });
  }
});

test('end-sessions signs out an account everywhere and mails its owner [ADMIN-30, ADMIN-31]', async () => {
  const sam = await createOperator();
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const phone = ada.newBrowser();
  await phone.signIn();
  const sockets = [await ada.connect(), await phone.connect()];

  const { code, out } = await run('end-sessions', ada.email);

  expect([code, out]).toEqual([0, expect.stringContaining(`All devices of ${ada.email}`)]);
  for (const socket of sockets) expect(await socket.closed).toBe(closeCodes.signedOut);
  expect([await getAccount(ada), await getAccount(phone)]).toEqual([null, null]);
  expect(await getAccount(ben)).toMatchObject({ email: ben.email });
  expect((await run('find-account', ada.email)).out).toContain('It is signed in on no device.');

  await ada.newBrowser().signIn();
  const isTold = (mail: string) =>
    mail.includes(`\nTo: ${ada.email}\n`) && mail.includes('has signed out all devices');
  await expect.poll(() => app.mails().filter(isTold)).toHaveLength(1);

  const [entry] = await listAuditEntries(sam, 'end-sessions');
  expect(entry).toMatchObject({ staffName: '', reason: '', classId: null, memberId: null });
  expect((await run('end-sessions', 'nobody@university.edu')).errors).toEqual([
    'Nothing was done: There is no account with the address nobody@university.edu.',
  ]);
});

test('find-account and end-sessions reject another server key [ADMIN-28]', async () => {
  const ada = await app.createStudent();
  const foreign = { ...app.database.settings, SECRET_KEY: 'x'.repeat(40) };

  for (const command of ['find-account', 'end-sessions']) {
    const { code, errors } = await runAdminCommand(foreign, command, ada.email);
    expect([code, errors.join()]).toEqual([1, expect.stringContaining('another server key')]);
  }
  expect(await getAccount(ada)).not.toBeNull();
});
