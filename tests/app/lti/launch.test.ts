import type { JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createPlatformKey,
  launchSecrets,
  roles,
  signWith,
  type LtiPlatform,
} from '#tests/support/lti-platform.ts';
import {
  launch,
  postLaunch,
  registerPlatform,
  startLogin,
  startPlatformFor,
} from '#tests/support/lti-launch.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let platform: LtiPlatform;

beforeAll(async () => {
  platform = await startPlatformFor(app);
  await registerPlatform(app, platform);
});
afterEach(() => vi.useRealTimers());
afterAll(() => platform.stop());

const inFrame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' };
const inWindow = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' };

test('no launch begins until a platform is registered [LTI-1]', async () => {
  const site = await startApp();
  const form = { method: 'POST', body: new URLSearchParams({ iss: platform.issuer }) };

  for (const path of ['/lti/login', '/lti/launch', '/lti/keys', '/lti/answer']) {
    for (const init of [{}, form]) {
      expect((await site.visitor().fetch(path, init)).status, path).toBe(404);
    }
  }

  await site.stop();
});

describe('in a frame', () => {
  test('a login is a page with one link, which only the platform may frame [LTI-2]', async () => {
    const client = app.visitor();
    const { login } = platform.start();

    const response = await client.fetch('/lti/login', {
      method: 'POST',
      body: login,
      headers: { ...inFrame, origin: platform.issuer },
      redirect: 'manual',
    });

    expect(response.status).toBe(200);
    expect(response.headers.get('x-frame-options')).toBeNull();
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain(`frame-ancestors ${platform.issuer}`);
    expect(policy).toContain("default-src 'none'");
    expect(client.cookie()).toBe('');
    const page = await response.text();
    expect(page.match(/<a /g)).toHaveLength(1);
    expect(page).not.toMatch(/<script|<form|<iframe/);
    // What the platform calls the person is not readable in the address.
    expect(page).not.toMatch(launchSecrets);
  });

  test('the link opens the same launch in a window of its own, also a second time [LTI-2]', async () => {
    const client = app.visitor();
    const { login } = platform.start();
    const framed = await client.fetch(`/lti/login?${login}`, { headers: inFrame });
    const [, link = ''] = /<a href="([^"]+)"/.exec(await framed.text()) ?? [];

    const first = await client.fetch(link, { headers: inWindow, redirect: 'manual' });
    const second = await client.fetch(link, { headers: inWindow, redirect: 'manual' });

    const forms = [await platform.authorize(second.headers.get('location')!)];
    expect((await postLaunch(client, platform, { form: forms[0]! })).status).toBe(303);
    const states = [first, second].map((response) =>
      new URL(response.headers.get('location')!).searchParams.get('state'),
    );
    expect(new Set(states).size).toBe(2);
  });

  test('no page of the app can be framed [LTI-2]', async () => {
    for (const path of ['/course', '/home', '/lti/launch']) {
      const { headers } = await app.visitor().fetch(path, { headers: inFrame });
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
    }
  });
});

test('a login needs no session, and its cookie goes only to this site [LTI-3]', async () => {
  const client = app.visitor();
  const { login } = platform.start();

  const response = await client.fetch(`/lti/login?${login}`, {
    headers: inWindow,
    redirect: 'manual',
  });

  const [cookie = '', ...others] = response.headers.getSetCookie();
  expect(others).toEqual([]);
  expect(cookie).toMatch(/; HttpOnly/);
  expect(cookie).toMatch(/; Secure/);
  expect(cookie).toMatch(/; SameSite=None/);
  expect(cookie).toMatch(/Max-Age=600/);
  const query = new URL(response.headers.get('location')!).searchParams;
  expect(`${query.get('state')} ${query.get('nonce')}`).toMatch(/^[\w-]{43} [\w-]{43}$/);
  expect(cookie).not.toContain(query.get('nonce'));
});

test('Canvas names the deployment without a prefix, and needs no client id [LTI-2]', async () => {
  const client = app.visitor();
  const { login } = platform.start();
  login.set('deployment_id', login.get('lti_deployment_id')!);
  login.delete('lti_deployment_id');
  login.delete('client_id');

  const response = await client.fetch(`/lti/login?${login}`, {
    headers: inWindow,
    redirect: 'manual',
  });

  const location = response.headers.get('location') ?? '';
  expect(location).toContain(platform.authorizationUrl);
  expect(new URL(location).searchParams.get('client_id')).toBe(platform.clientId);
});

test('a launch goes on to the page of the course, with a ticket that no page can read [LTI-6]', async () => {
  const response = await launch(app.visitor(), platform);

  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/course');
  const ticket = response.headers.getSetCookie().find((cookie) => /course=/.test(cookie)) ?? '';
  expect(ticket).toMatch(/; HttpOnly/);
  expect(ticket).toMatch(/; SameSite=Strict/);
});

test('a launch stores and logs nothing of a person, and joins nothing [LTI-5, LTI-7]', async () => {
  const ada = await app.createStudent();
  const before = await app.database.tables();

  const response = await launch(ada, platform, { roles: [roles.instructor] });

  expect(response.status).toBe(303);
  const after = await app.database.tables();
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
  );
  expect(changed).toEqual(['ltiUsedTokens']);
  const expiries = after['ltiUsedTokens']!.map(({ expiresAt }) => Number(expiresAt));
  // A finer time would tell when someone launched.
  expect(expiries.filter((expiresAt) => expiresAt % 3_600_000 !== 0)).toEqual([]);
  const stored = JSON.stringify(after);
  expect(stored).not.toMatch(launchSecrets);
  expect(app.logLines.join('\n')).not.toMatch(launchSecrets);
  expect((await ada.call('listClasses', {})).classes).toEqual([]);
});

test('a key that the platform has replaced is read again [LTI-4]', async () => {
  // Of the other platform, the keys were perhaps read at a later faked time.
  const ownPlatform = await startPlatformFor(app);
  await registerPlatform(app, ownPlatform);
  for (let n = 0; n < 2; n += 1) {
    expect((await launch(app.visitor(), ownPlatform)).status).toBe(303);
  }
  expect(ownPlatform.keySetReads).toBe(1);

  await ownPlatform.rotateKey();
  // At most one request a second.
  vi.useFakeTimers({ now: Date.now() + 1500, toFake: ['Date'] });

  expect((await launch(app.visitor(), ownPlatform)).status).toBe(303);
  expect(ownPlatform.keySetReads).toBe(2);
  await ownPlatform.stop();
});

test('tokens with made-up keys cause one request for keys a second [LTI-4]', async () => {
  const client = app.visitor();
  const sign = async (claims: JWTPayload) => signWith(claims, await createPlatformKey());
  const reads = platform.keySetReads;
  vi.useFakeTimers({ now: Date.now() + 5000, toFake: ['Date'] });

  for (let n = 0; n < 5; n += 1) await launch(client, platform, { sign });

  expect(platform.keySetReads).toBe(reads + 1);
});

test('a page that opens many logins does not fill the cookies of the browser [LTI-3]', async () => {
  const client = app.visitor();

  for (let n = 0; n < 20; n += 1) await startLogin(client, platform);

  expect(client.cookie().match(/login-/g)).toHaveLength(5);
  expect((await launch(client, platform)).status).toBe(303);
});

test('two courses can open at the same time in one browser [LTI-3]', async () => {
  const client = app.visitor();
  const first = await startLogin(client, platform, { course: { id: 'first' } });
  const second = await startLogin(client, platform, { course: { id: 'second' } });

  expect((await postLaunch(client, platform, second)).status).toBe(303);
  expect((await postLaunch(client, platform, first)).status).toBe(303);
});
