// The second factor of operators and moderators: passkeys and recovery codes, and who tries to go around them.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { calls } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { revokeRoleByCommand } from '#tests/support/roles.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, toPublicOrigin, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { mailPollMs, shortenIntervals } from '#tests/support/shorten-timers.ts';
import {
  addPasskey,
  provePasskey,
  SoftwareAuthenticator,
} from '#tests/support/software-authenticator.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';

const minuteMs = 60_000;
shortenIntervals(mailPollMs, 100);
afterEach(() => vi.useRealTimers());

const app = setUpApp();

const createAuthenticator = (client: TestClient) =>
  new SoftwareAuthenticator(toPublicOrigin(client));

async function createOperator(from: RunningApp = app): Promise<TestClient> {
  const kim = await from.createStudent();
  await grantRole(from, kim, null, 'Kim');
  return kim;
}

/** An operator with a passkey, whose session has not proved it. */
async function createProtected() {
  const kim = await createOperator();
  const authenticator = createAuthenticator(kim);
  const codes = await addPasskey(kim, authenticator);
  const unproved = kim.newBrowser();
  await unproved.signIn();
  return { kim: unproved, proved: kim, authenticator, codes };
}

/** A call that needs the factor, and changes nothing: there is no such role. */
const callProtected = (client: TestClient) =>
  client.call('revokeRole', { params: { roleId: 'AAAAAAAAAAAAAAAA' } });
const needed = { code: 'FACTOR_NEEDED' };
const wrong = { code: 'FACTOR_WRONG' };
/** The answer behind the check of the factor. */
const admitted = { code: 'NOT_FOUND' };

function passMinutes(minutes: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * minuteMs });
}

const copyBrowser = (client: TestClient) =>
  createTestClient(client.origin, client.email, { cookie: client.cookie() });

test('calls that unmask, change roles, end classes or act on accounts need the factor [FACTOR-1]', () => {
  const list = (factor: string) =>
    Object.entries(calls)
      .filter(([, call]) => call.factor === factor)
      .map(([name]) => name)
      .toSorted()
      .join(' ');

  expect(list('duty')).toBe(
    'announce blockAddress confirmUnmasking correctAddress decideProposal decideReview deleteClass ' +
      'deleteFoundAccount endAccountSessions endClass endTerm exportFoundAccount grantRole liftSuspension ' +
      'linkCourse mergeClass requestUnmasking resendVerification revokeRole sendResetLink unblockAddress undoReview',
  );
  expect(list('ifAny')).toBe(
    'addPasskey deleteAccount removePasskey renewRecoveryCodes startPasskey',
  );
});

describe('a session', () => {
  test('a session proves the passkey for ten minutes, and a stolen session cookie does not [FACTOR-1]', async () => {
    const { kim, authenticator } = await createProtected();
    await expect(callProtected(kim)).rejects.toMatchObject(needed);

    await provePasskey(kim, authenticator);
    await expect(callProtected(kim)).rejects.toMatchObject(admitted);

    const sessionCookie = kim
      .cookie()
      .split('; ')
      .find((cookie) => cookie.includes('session'))!;
    const thief = createTestClient(kim.origin, kim.email, { cookie: sessionCookie });
    await expect(callProtected(thief)).rejects.toMatchObject(needed);
    const elsewhere = kim.newBrowser();
    await elsewhere.signIn();
    const proof = kim
      .cookie()
      .split('; ')
      .find((cookie) => cookie.includes('factor'))!;
    elsewhere.keepCookie(proof);
    await expect(callProtected(elsewhere)).rejects.toMatchObject(needed);
    passMinutes(11);
    await expect(callProtected(kim)).rejects.toMatchObject(needed);
  });

  test.each<{
    kind: string;
    answer: Parameters<typeof provePasskey>[2];
    later?: number;
  }>([
    { kind: 'another origin', answer: { origin: 'https://evil.example' } },
    { kind: 'another host', answer: { host: 'evil.example' } },
    { kind: 'another challenge', answer: { challenge: 'A'.repeat(43) } },
    { kind: 'the answer to a registration', answer: { type: 'webauthn.create' } },
    { kind: 'a counter that went back', answer: { counter: 1 } },
  ])('a signature for $kind is rejected [FACTOR-3]', async ({ answer }) => {
    const { kim, authenticator } = await createProtected();

    await expect(provePasskey(kim, authenticator, answer)).rejects.toMatchObject(wrong);

    await expect(callProtected(kim)).rejects.toMatchObject(needed);
  });

  test('a challenge works once, for five minutes, for its session and purpose, and for keys of its account [FACTOR-3]', async () => {
    const { kim, proved, authenticator } = await createProtected();
    const other = await createProtected();
    const { challenge } = await kim.call('startProof', {});
    const body = authenticator.sign({ challenge });
    const asked = copyBrowser(kim);

    const elsewhere = proved.newBrowser();
    await elsewhere.signIn();
    elsewhere.keepCookie(
      kim
        .cookie()
        .split('; ')
        .find((cookie) => cookie.includes('passkey-proof'))!,
    );
    await expect(elsewhere.call('proveFactor', { body })).rejects.toMatchObject(wrong);

    await kim.call('proveFactor', { body });
    const replay = { body: authenticator.sign({ challenge }) };
    for (const again of [{ body }, replay]) {
      await expect(asked.call('proveFactor', again)).rejects.toMatchObject(wrong);
    }

    const addition = await proved.call('startPasskey', { body: { password } });
    const signed = { body: authenticator.sign(addition) };
    await expect(proved.call('proveFactor', signed)).rejects.toMatchObject(wrong);
    await expect(provePasskey(asked, other.authenticator)).rejects.toMatchObject(wrong);
    const { challenge: old } = await asked.call('startProof', {});
    passMinutes(6);
    const late = { body: authenticator.sign({ challenge: old }) };
    await expect(asked.call('proveFactor', late)).rejects.toMatchObject(wrong);
  });

  test('the password alone neither adds nor removes a passkey, makes codes, or deletes the account [FACTOR-4]', async () => {
    const { kim, proved } = await createProtected();
    const { passkeys } = await kim.call('listPasskeys', {});
    const { passkeyId } = passkeys[0]!;
    const withPassword = { body: { password } };
    const withoutPassword = { body: { password: 'not this one' } };
    const removeBy = (client: TestClient, input: typeof withPassword) =>
      client.call('removePasskey', { params: { passkeyId }, ...input });

    const acts = [
      () => removeBy(kim, withPassword),
      () => kim.call('renewRecoveryCodes', withPassword),
      () => kim.call('deleteAccount', { body: { password, messages: 'keep' } }),
    ];
    for (const act of [() => kim.call('startPasskey', withPassword), ...acts]) {
      await expect(act()).rejects.toMatchObject(needed);
    }
    for (const act of [
      () => proved.call('startPasskey', withoutPassword),
      () => removeBy(proved, withoutPassword),
      () => proved.call('renewRecoveryCodes', withoutPassword),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    }

    await revokeRoleByCommand(app.database.settings, { email: kim.email, classId: null });
    for (const act of acts) await expect(act()).rejects.toMatchObject(needed);

    await removeBy(proved, withPassword);
    expect(await kim.call('listPasskeys', {})).toEqual({ passkeys: [], codesLeft: 0 });
    await grantRole(app, kim, null, 'Kim');
    await expect(callProtected(kim)).rejects.toMatchObject(admitted);
  });
});

test('a recovery code proves the factor once, however it is typed, and new codes replace the old ones [FACTOR-6]', async () => {
  const { kim, codes } = await createProtected();
  expect(codes).toHaveLength(10);
  expect(codes.join(' ')).toMatch(/^([0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3} ?){10}$/);

  const recoveryCode = ` ${codes[0]!.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O')}`;
  await kim.call('proveFactor', { body: { recoveryCode } });

  await expect(callProtected(kim)).rejects.toMatchObject(admitted);
  for (const used of [recoveryCode, 'aaaa-aaaa-aaaa-aaaa', '']) {
    const body = { recoveryCode: used };
    await expect(kim.call('proveFactor', { body })).rejects.toMatchObject(wrong);
  }
  expect(await kim.call('listPasskeys', {})).toMatchObject({ codesLeft: 9 });
  const { recoveryCodes } = await kim.call('renewRecoveryCodes', { body: { password } });
  const old = { recoveryCode: codes[1]! };
  await expect(kim.call('proveFactor', { body: old })).rejects.toMatchObject(wrong);
  await kim.call('proveFactor', { body: { recoveryCode: recoveryCodes[1]! } });
  for (const text of ['passkey was added', 'recovery code of', 'new recovery codes']) {
    await expect
      .poll(() => app.mails().some((mail) => mail.includes(kim.email) && mail.includes(text)))
      .toBe(true);
  }
});

test('an account has at most five passkeys with names, and no two accounts have one [FACTOR-4]', async () => {
  const { proved, authenticator } = await createProtected();
  const other = await createOperator();
  await expect(addPasskey(other, authenticator)).rejects.toMatchObject(wrong);
  await expect(addPasskey(other, createAuthenticator(other), ' ')).rejects.toMatchObject({
    code: 'INVALID',
  });
  for (let count = 1; count < limits.passkeys; count++) {
    expect(await addPasskey(proved, createAuthenticator(proved), `Key ${count}`)).toEqual([]);
  }

  await expect(addPasskey(proved, createAuthenticator(proved))).rejects.toMatchObject({
    message: 'An account can have at most 5 passkeys. Please remove one first.',
  });

  const { passkeys } = await proved.call('listPasskeys', {});
  expect(passkeys.map(({ passkeyName }) => passkeyName)).toContain('Key 4');
  const exported = await (await proved.fetch('/api/me/export')).json();
  expect(exported).toMatchObject({ passkeys: ['Laptop', 'Key 1', 'Key 2', 'Key 3', 'Key 4'] });
});

test('what an authenticator says about its maker is not read [FACTOR-3]', async () => {
  const kim = await createOperator();

  const format = 'android-key';
  expect(await addPasskey(kim, createAuthenticator(kim), 'Phone', { format })).toHaveLength(10);
});

test('only operators and moderators can have passkeys, and no one learns who has one [FACTOR-2]', async () => {
  const { authenticator } = await createProtected();
  const ada = await app.createStudent();
  const { challenge, ...rest } = await ada.call('startProof', {});

  expect(rest).toEqual({ passkeyHost: 'localhost', credentialIds: [] });
  await expect(ada.call('startPasskey', { body: { password } })).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
  });
  const body = authenticator.sign({ challenge });
  await expect(ada.call('proveFactor', { body })).rejects.toMatchObject(wrong);
  await expect(callProtected(ada)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
});

test('passkeys change one register, and the end of the account deletes them [FACTOR-7]', async () => {
  const kim = await createOperator();
  const authenticator = createAuthenticator(kim);
  const listChanged = async (act: () => Promise<unknown>) => {
    const before = await app.database.tables();
    await act();
    const after = await app.database.tables();
    return Object.keys(after).filter(
      (table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]),
    );
  };
  const written = ['commitReceipts', 'ltiUsedTokens', 'outgoingMails', 'registers'];

  const changed = [
    ...(await listChanged(() => addPasskey(kim, authenticator, 'Secret name'))),
    ...(await listChanged(() => provePasskey(kim, authenticator))),
  ];

  expect([...new Set(changed)].filter((table) => !written.includes(table))).toEqual([]);
  expect(changed).toContain('registers');
  await kim.call('deleteAccount', { body: { password, messages: 'keep' } });
  const again = await createOperator();
  expect(await addPasskey(again, authenticator)).toHaveLength(10);
});

test('remove-passkeys ends the passkeys of an account, with an entry in the audit log and a mail [FACTOR-5]', async () => {
  const { kim } = await createProtected();
  const run = (email: string) => runAdminCommand(app.database.settings, 'remove-passkeys', email);

  expect(await run(kim.email)).toMatchObject({ code: 0 });

  await expect(callProtected(kim)).rejects.toMatchObject(admitted);
  const { entries } = await kim.call('listAuditLog', { query: {} });
  expect(entries[0]).toMatchObject({ act: 'remove-passkeys', staffName: '', reason: '' });
  await expect
    .poll(() =>
      app.mails().some((mail) => mail.includes(kim.email) && mail.includes('were removed')),
    )
    .toBe(true);
  expect(await run(kim.email)).toMatchObject({
    code: 1,
    errors: [`Nothing was done: ${kim.email} has no passkey.`],
  });
});

test('where it is a duty, operators without a passkey can only add one; where it is off, no one is asked [FACTOR-2, FACTOR-10]', async () => {
  const site = await startApp({ SECOND_FACTOR: 'required', LIMITS: 'factorTries=2/10m' });
  try {
    const kim = await createOperator(site);
    const missing = { code: 'FACTOR_MISSING' };
    await expect(callProtected(kim)).rejects.toMatchObject(missing);
    await expect(
      kim.call('deleteAccount', { body: { password: 'wrong', messages: 'keep' } }),
    ).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });

    await addPasskey(kim, createAuthenticator(kim));
    await expect(callProtected(kim)).rejects.toMatchObject(admitted);

    const guess = { body: { recoveryCode: 'aaaa-aaaa-aaaa-aaaa' } };
    for (const rejection of [wrong, wrong, { code: 'TOO_MANY' }]) {
      await expect(kim.call('proveFactor', guess)).rejects.toMatchObject(rejection);
    }

    await site.restart(undefined, { SECOND_FACTOR: 'off' });
    const elsewhere = kim.newBrowser();
    await elsewhere.signIn();
    await expect(callProtected(elsewhere)).rejects.toMatchObject(admitted);
    await expect(elsewhere.call('listPasskeys', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  } finally {
    await site.stop();
  }
});
