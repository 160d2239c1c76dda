import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { listAddressCases } from '#tests/support/address-cases.ts';
import { defer } from '#tests/support/later.ts';
import {
  createSignOnBrowser,
  startOidcServer,
  type OidcServer,
  type Person,
  type SignOnBrowser,
} from '#tests/support/oidc-server.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { changeStoredAccounts, listStoredAccounts } from '#tests/support/stored-accounts.ts';

let app: RunningApp;
let provider: OidcServer;
let people = 0;

async function setUp(settings: Record<string, string> = {}, inIdToken = true) {
  const port = await findFreePort();
  const newProvider = await startOidcServer(`http://127.0.0.1:${port}`, { inIdToken });
  const runningApp = await startApp({ ...newProvider.settings, ...settings, PORT: String(port) });
  return { app: runningApp, provider: newProvider };
}

beforeAll(async () => ({ app, provider } = await setUp()));
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

function createPerson(changes: Partial<Person> = {}): Person {
  const sub = `person-${++people}`;
  return { sub, email: `${sub}@university.edu`, verified: true, ...changes };
}

const createBrowser = (givenApp = app) => createSignOnBrowser(givenApp.origin);

async function start(
  { client, visit }: SignOnBrowser,
  isAgain = false,
  change?: (url: URL) => void,
) {
  const { providerUrl } = await client.call('startSignOn', { body: { again: isAgain } });
  const url = new URL(providerUrl);
  change?.(url);
  return visit(url.href);
}

const finish = (client: TestClient, response: string) =>
  client.call('finishSignOn', { body: { response } });

async function signOn(
  person: Person,
  browser = createBrowser(),
  usedProvider = provider,
  isAgain = false,
) {
  usedProvider.person = person;
  const reply = await finish(browser.client, await start(browser, isAgain));
  return { ...browser, browser, reply };
}

const findLink = (mail: string) => /\/sign-on#link=(\S+)/.exec(mail)?.[1] ?? '';
const findAccountRow = async (email: string) =>
  (await listStoredAccounts(app.database)).find((account) => account.email === email);

describe('a sign-in at the university', () => {
  test('a sign-in at the university stores only a keyed hash of the provider’s identity [OIDC-2, OIDC-3, OIDC-5, OIDC-8]', async () => {
    const ada = createPerson({ email: 'Ada.Lovelace@University.edu' });

    const { client, reply } = await signOn(ada);

    expect(reply).toEqual({ email: null });

    const { account } = await client.call('me', {});
    expect(account).toMatchObject({ email: 'ada.lovelace@university.edu', suspended: false });

    const secondSignOn = await signOn(ada);
    expect((await secondSignOn.client.call('me', {})).account).toEqual(account);

    const storedText = JSON.stringify(await app.database.tables());
    expect(storedText).not.toContain(ada.sub);
    expect(storedText).not.toMatch(/Lovelace"|eyJhbGci|access_token/);
    expect(app.logLines.join('\n')).not.toMatch(/person-|lovelace/i);

    const row = await findAccountRow('ada.lovelace@university.edu');
    expect(row!.signOnKey).toMatch(/^[\w-]{43}$/);
  });

  test('a sign-in at the university asks the provider for the address only [OIDC-3]', async () => {
    const { client } = createBrowser();

    const { providerUrl } = await client.call('startSignOn', { body: { again: false } });

    const query = Object.fromEntries(new URL(providerUrl).searchParams);
    expect(query).toMatchObject({
      scope: 'openid email',
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${app.origin}/sign-on`,
    });
    expect([query['state'], query['nonce'], query['code_challenge']].join(' ')).toMatch(
      /^[\w-]{43} [\w-]{43} [\w-]{43}$/,
    );
    expect(client.cookie()).not.toContain(query['nonce']);
  });

  const changes: Record<string, (url: URL) => void> = {
    state: (url) => url.searchParams.set('state', 'of another sign-in'),
    nonce: (url) => url.searchParams.set('nonce', 'of another sign-in'),
    'code challenge': (url) => url.searchParams.set('code_challenge', 'x'.repeat(43)),
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`a sign-in at the university with another ${name} is rejected [OIDC-4]`, async () => {
      const browser = createBrowser();
      provider.person = createPerson();
      const response = await start(browser, false, change);

      await expect(finish(browser.client, response)).rejects.toMatchObject({
        code: 'SIGN_ON_EXPIRED',
        message: 'This sign-in has expired or was already used. Please start again.',
      });
      expect(await browser.client.call('me', {})).toEqual({ account: null });
      expect(await findAccountRow(provider.person.email)).toBeUndefined();
    });
  }

  test('a sign-in at the university works once, and only in the browser that began it [OIDC-4]', async () => {
    const browser = createBrowser();
    const otherBrowser = createBrowser();
    provider.person = createPerson();
    const response = await start(browser);
    await start(otherBrowser);

    await expect(finish(otherBrowser.client, response)).rejects.toMatchObject({
      code: 'SIGN_ON_EXPIRED',
    });
    const clientWithoutCookie = createBrowser().client;
    await expect(finish(clientWithoutCookie, response)).rejects.toMatchObject({
      code: 'SIGN_ON_EXPIRED',
    });

    // A copy of the browser's cookies does not make the code work twice.
    const cookie = browser.client.cookie();
    await finish(browser.client, response);
    await expect(finish(browser.client, response)).rejects.toMatchObject({
      code: 'SIGN_ON_EXPIRED',
    });

    const replayed = await createBrowser().client.fetch('/api/auth/sign-on/finish', {
      method: 'POST',
      headers: { cookie },
      body: JSON.stringify({ response }),
    });
    expect(await replayed.json()).toMatchObject({ code: 'SIGN_ON_EXPIRED' });

    const foreign = await browser.client.fetch('/api/auth/sign-on', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: JSON.stringify({ again: false }),
    });
    expect(await foreign.json()).toMatchObject({ code: 'FORBIDDEN_ORIGIN' });
  });

  test('a sign-in at the university needs a verified address of the university [OIDC-5]', async () => {
    const unverified = signOn(createPerson({ verified: false }));
    await expect(unverified).rejects.toMatchObject({ code: 'SIGN_ON_EMAIL' });
    for (const email of [
      'eve@elsewhere.edu',
      'eve@university.edu.evil.example',
      'x@y@university.edu',
    ]) {
      const signingOn = signOn(createPerson({ email }));
      await expect(signingOn, email).rejects.toMatchObject({ code: 'WRONG_EMAIL_DOMAIN' });
      expect(await findAccountRow(email)).toBeUndefined();
    }

    const browser = createBrowser();
    provider.person = null;
    const response = await start(browser);
    await expect(finish(browser.client, response)).rejects.toMatchObject({
      code: 'SIGN_ON_CANCELLED',
    });
  });

  test('a sign-in at the university makes accounts for the same addresses as a sign-up [OIDC-5, AUTH-65]', async () => {
    const surprises: string[] = [];

    for (const { email, isAccepted } of listAddressCases('sso')) {
      const code = await signOn(createPerson({ email })).then(
        () => 'accepted',
        (error: unknown) => (error as AppError).code,
      );
      const isRejected = code === 'EMAIL_CHARACTERS' || code === 'WRONG_EMAIL_DOMAIN';
      if (isAccepted ? code !== 'accepted' : !isRejected) surprises.push(`${email}: ${code}`);
    }

    expect(surprises).toEqual([]);
  });

  test('a sign-in at the university finds an account whose address an older version accepted [AUTH-65, OIDC-5]', async () => {
    const ada = createPerson();
    const { account } = await (await signOn(ada)).client.call('me', {});
    const email = 'a%evil.test@university.edu';
    await changeStoredAccounts(app.database, ada.email, { email });

    const { client } = await signOn({ ...ada, email });

    expect((await client.call('me', {})).account).toEqual({ ...account, email });
  });

  test('a sign-in at the university stays with its account if the address changes at the provider [OIDC-5]', async () => {
    const ada = createPerson();
    const accountBefore = await (await signOn(ada)).client.call('me', {});
    const { client } = await signOn({ ...ada, email: 'married@university.edu' });

    expect(await client.call('me', {})).toEqual(accountBefore);
    expect(await findAccountRow('married@university.edu')).toBeUndefined();
  });

  test('a sign-in works after a sign-out if the provider never tells when credentials were entered [OIDC-11]', async () => {
    const { browser, client } = await signOn(createPerson());
    await client.call('signOut', {});
    const ignoreEmail = ({ searchParams }: URL) => {
      searchParams.delete('max_age');
      searchParams.delete('prompt');
    };

    await finish(client, await start(browser, false, ignoreEmail));

    expect((await client.call('me', {})).account).not.toBeNull();

    // Such a sign-in confirms nothing.
    await finish(client, await start(browser, true, ignoreEmail));
    const deletion = client.call('deleteAccount', { body: { password: '', messages: 'keep' } });
    await expect(deletion).rejects.toMatchObject({ code: 'SIGN_IN_AGAIN' });
  });

  test('a sign-in at the university asks for the credentials again after a sign-out [OIDC-11]', async () => {
    const { browser, client } = await signOn(createPerson());
    const entered = provider.entered;

    await signOn(provider.person!, browser);

    expect(provider.entered).toBe(entered);

    await client.call('signOut', {});
    expect(await client.call('me', {})).toEqual({ account: null });

    await signOn(provider.person!, browser);
    expect(provider.entered).toBe(entered + 1);
    expect((await client.call('me', {})).account).not.toBeNull();
  });
});

describe('an existing account', () => {
  /** SQLite stores booleans as numbers. */
  test('an existing account is joined with its password [OIDC-7]', async () => {
    const ada = await app.createStudent();
    const person = createPerson({ email: ada.email });

    const { client, reply } = await signOn(person);

    expect(reply).toEqual({ email: ada.email });
    expect(await client.call('me', {})).toEqual({ account: null });

    const wrongJoin = client.call('joinSignOn', { body: { password: 'something else' } });
    await expect(wrongJoin).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
    expect(await findAccountRow(ada.email)).toMatchObject({ emailVerified: false });

    await client.call('joinSignOn', { body: { password } });
    expect(await client.call('me', {})).toEqual(await ada.call('me', {}));
    // The provider has confirmed the address.
    expect(await findAccountRow(ada.email)).not.toMatchObject({ emailVerified: false });
    expect((await signOn(person)).reply).toEqual({ email: null });

    await ada.newBrowser().signIn();
  });

  test('a mailed link joins an existing account once, in the browser that signed in [OIDC-7]', async () => {
    const ada = await app.createStudent();
    const { client } = await signOn(createPerson({ email: ada.email }));
    await client.call('mailSignOnLink', {});
    const token = findLink(await app.waitForNextMailTo(ada));
    const stranger = createBrowser().client;

    await expect(stranger.call('joinSignOn', { body: { token } })).rejects.toMatchObject({
      code: 'SIGN_ON_EXPIRED',
    });

    // The link of one person's sign-in gives the account to no one else.
    const eve = await signOn(createPerson({ email: ada.email }));
    const stolen = eve.client.call('joinSignOn', { body: { token } });
    await expect(stolen).rejects.toMatchObject({ code: 'INVALID_LINK' });

    const forged = client.call('joinSignOn', { body: { token: `${token.slice(0, -2)}xx` } });
    await expect(forged).rejects.toMatchObject({ code: 'INVALID_LINK' });

    await client.call('joinSignOn', { body: { token } });

    const { account } = await client.call('me', {});
    expect(account).toMatchObject({ email: ada.email });
    await expect(client.call('joinSignOn', { body: { token } })).rejects.toMatchObject({
      code: 'SIGN_ON_EXPIRED',
    });
    // Eve's sign-in was before the account was joined.
    await expect(eve.client.call('mailSignOnLink', {})).rejects.toMatchObject({
      code: 'SIGN_ON_EXPIRED',
    });
  });

  test('an existing account is not joined after an operator has corrected its address [OIDC-7, ADDRESS-2]', async () => {
    const ada = await app.createStudent();
    const { client } = await signOn(createPerson({ email: ada.email }));
    await client.call('mailSignOnLink', {});
    const token = findLink(await app.waitForNextMailTo(ada));
    const to = 'corrected@university.edu';

    expect(
      await runAdminCommand(app.database.settings, 'correct-address', ada.email, to),
    ).toMatchObject({
      code: 0,
    });
    for (const body of [{ token }, { password }]) {
      await expect(client.call('joinSignOn', { body })).rejects.toMatchObject({
        code: 'SIGN_ON_EXPIRED',
      });
    }
  });

  test('an existing account loses the password of a person who never verified the address [OIDC-7]', async () => {
    // This site does not require verified addresses: anyone can take one.
    const squatter = await app.createStudent();
    const { client } = await signOn(createPerson({ email: squatter.email }));
    await client.call('mailSignOnLink', {});
    const token = findLink(await app.waitForNextMailTo(squatter));

    await client.call('joinSignOn', { body: { token } });

    expect(await squatter.call('me', {})).toEqual({ account: null });
    await expect(squatter.newBrowser().signIn()).rejects.toMatchObject({
      code: 'WRONG_CREDENTIALS',
    });
  });
});

test('the limit of sign-ins of a network counts their beginnings and ends together [LIMIT-2]', async () => {
  const site = await setUp({ LIMITS: 'signOns=3/10m' });
  const browser = createBrowser(site.app);
  await signOn(createPerson(), browser, site.provider);

  const response = await start(browser);

  const finishing = finish(createBrowser(site.app).client, response);
  await expect(finishing).rejects.toMatchObject({ code: 'TOO_MANY' });

  await site.app.stop();
  await site.provider.stop();
});

test('an account without a password can be deleted only after a fresh sign-in [OIDC-11]', async () => {
  const ada = createPerson();
  const { browser, client } = await signOn(ada);
  const remove = () => client.call('deleteAccount', { body: { password: '', messages: 'keep' } });

  await expect(remove()).rejects.toMatchObject({ code: 'SIGN_IN_AGAIN' });

  const guessed = client.call('deleteAccount', { body: { password: 'a guess', messages: 'keep' } });
  await expect(guessed).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });

  const proof = await signOn(createPerson(), createBrowser(), provider, true);
  const borrowed = await client.fetch('/api/me/deletion', {
    method: 'POST',
    headers: {
      cookie: `${client.cookie()}; ${/backchannel\.fresh=[^;]+/.exec(proof.client.cookie())![0]}`,
    },
    body: JSON.stringify({ password: '', messages: 'keep' }),
  });
  expect(await borrowed.json()).toMatchObject({ code: 'SIGN_IN_AGAIN' });

  const entered = provider.entered;

  await signOn(ada, browser, provider, true);

  expect(provider.entered).toBe(entered + 1);
  // The fresh session took the place of the first one.
  expect((await client.call('listDevices', {})).devices).toHaveLength(1);

  await remove();
  expect(await findAccountRow(ada.email)).toBeUndefined();
});

describe('without passwords', () => {
  const siteProxy = defer(() => site);
  let site: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    site = await setUp({ PASSWORD_SIGN_IN: 'off' }, false);
  });
  afterAll(async () => {
    await site.app.stop();
    await site.provider.stop();
  });

  test('without passwords every call with a password is rejected [OIDC-10]', async () => {
    const person = createPerson();
    // This provider has the address only in its user info.
    const { client } = await signOn(person, createBrowser(siteProxy.app), siteProxy.provider);

    expect((await client.call('me', {})).account).toMatchObject({ email: person.email });
    const eve = siteProxy.app.visitor();
    const email = eve.email;
    const token = 'x'.repeat(40);
    for (const call of [
      () => eve.signUp(),
      () => eve.signIn(),
      () => eve.call('requestPasswordReset', { body: { email } }),
      () => eve.call('resetPassword', { body: { token, newPassword: password } }),
      () => eve.call('verifyEmail', { body: { token, password } }),
      () => eve.call('joinSignOn', { body: { password } }),
      () =>
        client.call('changePassword', { body: { currentPassword: 'x', newPassword: password } }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'PASSWORDS_OFF' });
    }

    const deletion = client.call('deleteAccount', { body: { password, messages: 'keep' } });
    await expect(deletion).rejects.toMatchObject({ code: 'SIGN_IN_AGAIN' });
  });

  test('without passwords operators can send no links [ADMIN-34, ADMIN-50]', async () => {
    const ada = createPerson();
    const kim = createPerson();
    await signOn(ada, createBrowser(siteProxy.app), siteProxy.provider);
    const { client } = await signOn(kim, createBrowser(siteProxy.app), siteProxy.provider);
    await runAdminCommand(siteProxy.app.database.settings, 'grant-operator', kim.email, 'Kim');
    const { email } = ada;

    const { supported } = await client.call('findAccount', { body: { email } });

    expect(supported).toMatchObject({ verified: true, signsInWith: ['provider'] });
    for (const call of [
      () => client.call('sendResetLink', { body: { email } }),
      () => client.call('correctAddress', { body: { email, newEmail: `new.${email}` } }),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'ACCOUNT_WITHOUT_PASSWORD',
        message: expect.stringContaining('PASSWORD_SIGN_IN=off'),
      });
    }

    await client.call('deleteFoundAccount', { body: { email, repeatedEmail: email } });
    expect((await client.call('findAccount', { body: { email } })).supported).toBeNull();
  });
});

describe('a provider that fails', () => {
  let server: Server;
  /** Null if the provider does not reply. */
  let answer: (issuer: string) => string | Iterable<string> | null = () => null;
  let site: RunningApp;
  beforeAll(async () => {
    server = createServer((_, response) => {
      const body = answer(getIssuer());
      if (body === null) return;
      response.setHeader('content-type', 'application/json');
      Readable.from(typeof body === 'string' ? [body] : body)
        .on('data', () => (sentBlocks += 1))
        .pipe(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = await startApp({
      OIDC_ISSUER: getIssuer(),
      OIDC_CLIENT_ID: 'backchannel',
      OIDC_CLIENT_SECRET: 'secret',
    });
  });
  afterAll(async () => {
    await site.stop();
    server.closeAllConnections();
    server.close();
  });
  // The server keeps the first reply of a provider, so each test restarts the server.
  beforeEach(async () => {
    server.closeAllConnections();
    await site.restart();
  });
  let sentBlocks = 0;
  const getIssuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tryToStart = () => site.visitor().call('startSignOn', { body: { again: false } });
  const unavailable = {
    code: 'SIGN_ON_UNAVAILABLE',
    message: 'Your university’s sign-in does not answer right now. Please try again in a minute.',
  };

  test('if the provider does not answer, each sign-in gets a clear sentence after five seconds [OIDC-9]', async () => {
    answer = () => null;
    const refusals = [tryToStart(), tryToStart()].map((attempt) =>
      expect(attempt).rejects.toMatchObject(unavailable),
    );
    await site.createStudent();
    await Promise.all(refusals);
  }, 20_000);

  test('if the provider answers without an end, the server stops reading after a megabyte [OIDC-9]', async () => {
    const blocks = 1000;
    answer = () => ['{', ...Array.from({ length: blocks }, () => ' '.repeat(65_536))];

    await expect(tryToStart()).rejects.toMatchObject(unavailable);
    expect(sentBlocks).toBeLessThan(blocks);
  });

  test('if the provider answers nonsense or for another issuer, no one is signed in [OIDC-9]', async () => {
    const createDiscoveryDocument = (issuerUrl: string) =>
      JSON.stringify({
        issuer: issuerUrl,
        authorization_endpoint: `${getIssuer()}/auth`,
        token_endpoint: `${getIssuer()}/token`,
        jwks_uri: `${getIssuer()}/keys`,
      });
    for (const document of ['', '<html>', '{}', createDiscoveryDocument('https://evil.example')]) {
      answer = () => document;
      await expect(tryToStart(), document).rejects.toMatchObject(unavailable);
    }
    answer = createDiscoveryDocument;
    expect((await tryToStart()).providerUrl).toContain(`${getIssuer()}/auth?`);
    expect(site.logLines.filter((line) => line.includes('sign-on.failed'))).not.toEqual([]);
  });
});

test('after a change of the server key each account is joined again [OIDC-8]', async () => {
  const site = await setUp();
  const ada = createPerson();
  await signOn(ada, createBrowser(site.app), site.provider);
  const { settings } = site.app.database;
  // The key is a setting on PostgreSQL.
  const hasSetting = 'SECRET_KEY' in settings;
  const newKey = 'a new key for the test of sign-on';

  await site.app.restart(
    async () => {
      const newSettings = hasSetting ? { ...settings, NEW_SECRET_KEY: newKey } : settings;
      expect(await runAdminCommand(newSettings, 'new-key', '--yes')).toMatchObject({ code: 0 });
      const { accounts } = await site.app.database.tables();
      expect(accounts).toMatchObject([{ signOnKey: null }]);
    },
    hasSetting ? { SECRET_KEY: newKey } : {},
  );

  const { reply } = await signOn(ada, createBrowser(site.app), site.provider);
  expect(reply).toEqual({ email: ada.email });

  await site.app.stop();
  await site.provider.stop();
});

test('a new issuer opens an account only after its owner has agreed [OIDC-7]', async () => {
  const port = Number(new URL(app.origin).port);
  const ada = createPerson();
  await signOn(ada);
  const secondProvider = await startOidcServer(`http://127.0.0.1:${port}`);
  try {
    await app.restart(undefined, secondProvider.settings);

    const { client, reply } = await signOn(ada, createBrowser(), secondProvider);

    expect(reply).toEqual({ email: ada.email });
    await expect(client.call('joinSignOn', { body: { password } })).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
    });

    await client.call('mailSignOnLink', {});
    const owner = createTestClient(app.origin, ada.email);
    const token = findLink(await app.waitForNextMailTo(owner));
    await client.call('joinSignOn', { body: { token } });
    expect((await client.call('me', {})).account).toMatchObject({ email: ada.email });
  } finally {
    await app.restart(undefined, provider.settings);
    await secondProvider.stop();
  }
});
