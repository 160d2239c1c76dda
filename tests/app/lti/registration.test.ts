import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPlatformFetch } from '#server/features/lti/platform-fetch.ts';
import { launch, registerPlatform, startPlatformFor } from '#tests/support/lti-launch.ts';
import type { LtiPlatform } from '#tests/support/lti-platform.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { toPublicOrigin } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let platform: LtiPlatform;
let otherPlatform: LtiPlatform;
beforeAll(async () => {
  platform = await startPlatformFor(app);
  otherPlatform = await startPlatformFor(app);
  await registerPlatform(app, otherPlatform);
});
afterEach(() => {
  platform.configuration = {};
  vi.useRealTimers();
});
afterAll(async () => {
  await platform.stop();
  await otherPlatform.stop();
});

/** The path of a link that an operator made. */
async function invite({ issuer } = platform, ...options: string[]): Promise<string> {
  const { settings } = app.database;
  const args = ['invite-lms', `${issuer}/my`, ...options, '--json'];
  const { code, out, errors } = await runAdminCommand(settings, ...args);
  expect(code, errors.join('\n')).toBe(0);
  return new URL((JSON.parse(out) as { url: string }).url).pathname;
}

/** What the platform does with the link. */
function enter(path: string, configurationUrl = platform.configurationUrl): Promise<Response> {
  const query = new URLSearchParams({
    openid_configuration: configurationUrl,
    registration_token: 'token-of-the-platform',
  });
  return app.visitor().fetch(`${path}?${query}`, { redirect: 'manual' });
}

const listPlatforms = async () => (await app.database.tables())['ltiPlatforms'] ?? [];

test('a platform registers itself with the link of an operator, and asks for nothing about people [LTI-15]', async () => {
  const path = await invite(platform, '--instructors-are-staff');

  const response = await enter(path);

  expect(response.status).toBe(200);
  expect(await response.text()).toContain('org.imsglobal.lti.close');
  expect(response.headers.get('x-frame-options')).toBeNull();
  const { authorization, tool } = platform.registrations.at(-1)!;
  expect(authorization).toBe('Bearer token-of-the-platform');
  const origin = toPublicOrigin(app);
  expect(tool).toMatchObject({
    initiate_login_uri: `${origin}/lti/login`,
    redirect_uris: [`${origin}/lti/launch`],
    jwks_uri: `${origin}/lti/keys`,
    scope: '',
    'https://purl.imsglobal.org/spec/lti-tool-configuration': { claims: ['iss'] },
  });
  const usedTokens = (await app.database.tables())['ltiUsedTokens']!;
  // A finer time would tell when the platform registered itself.
  expect(usedTokens.map(({ expiresAt }) => Number(expiresAt) % 3_600_000)).toEqual([0]);
  const registered = (await listPlatforms()).filter(({ issuer }) => issuer === platform.issuer);
  expect(registered).toMatchObject([
    {
      issuer: platform.issuer,
      clientId: platform.clientId,
      origin: platform.issuer,
      grantsStaff: 1,
    },
  ]);

  // The platform did not name the deployment: its first launch does, and no other one.
  const statuses = await Promise.all(
    ['1', '2'].map(async (id) => {
      const { status } = await launch(app.visitor(), platform, { lti: { deployment_id: id } });
      return status;
    }),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([303, 400]);
  const later = await launch(app.visitor(), platform, { lti: { deployment_id: '3' } });
  expect(later.status).toBe(400);

  // The link works once, also if the platform was removed since then.
  const { issuer, clientId } = platform;
  await runAdminCommand(app.database.settings, 'unregister-lms', issuer, clientId);
  expect((await enter(path)).status).toBe(400);
  expect(await listPlatforms()).toHaveLength(1);
});

describe('a registration is rejected', () => {
  const changes: Record<string, () => Record<string, unknown>> = {
    'if the issuer is on another host than the configuration': () => ({
      issuer: 'https://canvas.instructure.com',
    }),
    'if the keys are on a private host': () => ({ jwks_uri: 'https://10.0.0.7/keys' }),
    'if it registers on a private host': () => ({ registration_endpoint: 'https://[fd00::7]/' }),
    'without an authorization address': () => ({ authorization_endpoint: undefined }),
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`${name} [LTI-15]`, async () => {
      const before = await listPlatforms();
      const sentBefore = platform.registrations.length;
      platform.configuration = change();

      const response = await enter(await invite());

      expect([400, 503]).toContain(response.status);
      expect(await listPlatforms()).toEqual(before);
      expect(platform.registrations).toHaveLength(sentBefore);
    });
  }

  test('without a link, with a changed one, and after a day [LTI-15]', async () => {
    const path = await invite();
    const before = await listPlatforms();
    const changed = `${path.slice(0, -2)}${path.endsWith('AA') ? 'BB' : 'AA'}`;

    expect((await enter('/lti/register/x')).status).toBe(400);
    expect((await enter(changed)).status).toBe(400);
    // A person who opens the link does not use it up.
    expect((await app.visitor().fetch(path)).status).toBe(400);

    vi.useFakeTimers({ now: Date.now() + 25 * 60 * 60_000, toFake: ['Date'] });
    expect((await enter(path)).status).toBe(400);
    vi.useRealTimers();
    expect(await listPlatforms()).toEqual(before);
  });

  test('if the client of another platform would be replaced [LTI-15]', async () => {
    const before = await listPlatforms();
    otherPlatform.configuration = { jwks_uri: `${otherPlatform.keySetUrl}?other` };

    const path = await invite(otherPlatform);
    expect((await enter(path, otherPlatform.configurationUrl)).status).toBe(400);

    expect(await listPlatforms()).toEqual(before);
  });
});

describe('a request to a platform', () => {
  test('goes only to public addresses by https [LTI-15]', async () => {
    const publicUrl = new URL('https://chat.university.edu');
    const fetchPlatform = createPlatformFetch('https://lms.university.edu', { publicUrl });
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
      '[fe80::1]',
      // Found by name.
      'localhost',
    ]) {
      const request = fetchPlatform(`https://${host}:9/`);
      await expect(request, host).rejects.toThrow('The address is private.');
    }
    const plain = fetchPlatform('http://lms.example/');
    await expect(plain).rejects.toThrow('The address is not https.');
  });

  test('goes to the host that the operator named, and follows no redirect from it [LTI-15]', async () => {
    const publicUrl = new URL('http://localhost:3000');
    const fetchPlatform = createPlatformFetch(platform.issuer, { publicUrl });
    const reads = platform.keySetReads;

    const response = await fetchPlatform(`${platform.issuer}/redirect?to=${platform.keySetUrl}`);

    expect(response.status).toBe(302);
    expect(platform.keySetReads).toBe(reads);
    const elsewhere = fetchPlatform(otherPlatform.keySetUrl);
    await expect(elsewhere).rejects.toThrow('The address is private.');
  });
});

describe('the keys of this site', () => {
  interface Key {
    kid: string;
  }
  async function readKeys(): Promise<Key[]> {
    const response = await app.visitor().fetch('/lti/keys');
    expect(response.status).toBe(200);
    return ((await response.json()) as { keys: Key[] }).keys;
  }
  const dayMs = 86_400_000;

  test('stay the same, have no private part, and are stored encrypted [LTI-14]', async () => {
    const [key, ...others] = await readKeys();

    expect(others).toEqual([]);
    expect(Object.keys(key!).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(await readKeys()).toEqual([key]);
    expect(JSON.stringify(await app.database.tables())).not.toContain(key!.kid);
  });

  test('are renewed, and the former one stays published for a week [LTI-14]', async () => {
    const [first] = await readKeys();

    vi.useFakeTimers({ now: Date.now() + 90 * dayMs, toFake: ['Date'] });
    const [former, second] = await readKeys();
    vi.useFakeTimers({ now: Date.now() + 100 * dayMs, toFake: ['Date'] });
    const later = await readKeys();

    expect(former).toEqual(first);
    expect(second).not.toEqual(first);
    expect(later.map(({ kid }) => kid)).not.toContain(first!.kid);
  });
});
