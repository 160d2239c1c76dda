import { exportSPKI, importJWK, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createPlatformKey,
  launchSecrets,
  roles,
  signWith,
  type AutoForm,
  type Launch,
  type LtiPlatform,
} from '#tests/support/lti-platform.ts';
import {
  launch,
  postLaunch,
  registerPlatform,
  startLogin,
  startPlatformFor,
} from '#tests/support/lti-launch.ts';
import { toPublicOrigin } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let platform: LtiPlatform;
let otherPlatform: LtiPlatform;

beforeAll(async () => {
  platform = await startPlatformFor(app);
  otherPlatform = await startPlatformFor(app);
  await registerPlatform(app, platform);
  await registerPlatform(app, otherPlatform);
});
afterAll(async () => {
  await platform.stop();
  await otherPlatform.stop();
});

/** The page says what to do, goes nowhere, and leaves no ticket. */
async function expectRejection(response: Response): Promise<void> {
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('location')).toBeNull();
  expect(response.headers.getSetCookie().join('\n')).not.toMatch(/course=[^;]/);
  const page = await response.text();
  expect(page).toMatch(/<h1/);
  expect(page).not.toMatch(launchSecrets);
}

const now = () => Math.floor(Date.now() / 1000);

const ltiClaim = 'https://purl.imsglobal.org/spec/lti/claim';

interface Rejected {
  /** What the log says. */
  reason: string;
  launch?: Launch | (() => Launch);
  /** Changes what the browser sends. */
  change?(form: AutoForm): void;
}

const rejected: Record<string, Rejected> = {
  'another state': { reason: 'state', change: ({ fields }) => fields.set('state', 'x'.repeat(43)) },
  'no state': { reason: 'state', change: ({ fields }) => fields.delete('state') },
  'no token': { reason: 'ERR_JWS_INVALID', change: ({ fields }) => fields.delete('id_token') },
  'a token that was changed': {
    reason: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    change({ fields }) {
      const [header, , signature] = fields.get('id_token')!.split('.');
      const claims = Buffer.from(JSON.stringify({ sub: 'x' })).toString('base64url');
      fields.set('id_token', [header, claims, signature].join('.'));
    },
  },
  'another nonce': { reason: 'nonce', launch: { claims: { nonce: 'x'.repeat(43) } } },
  'no nonce': {
    reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED nonce',
    launch: { claims: { nonce: undefined } },
  },
  'another issuer': {
    reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED iss',
    launch: { claims: { iss: 'https://evil.example' } },
  },
  'an issuer with a slash': {
    reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED iss',
    launch: () => ({ claims: { iss: `${platform.issuer}/` } }),
  },
  'another audience': {
    reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED aud',
    launch: { claims: { aud: 'another-client' } },
  },
  'no audience': {
    reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED aud',
    launch: { claims: { aud: undefined } },
  },
  'a second audience without azp': {
    reason: 'aud',
    launch: () => ({ claims: { aud: [platform.clientId, 'another-client'] } }),
  },
  'a second audience with its azp': {
    reason: 'aud',
    launch: () => ({
      claims: { aud: [platform.clientId, 'another-client'], azp: 'another-client' },
    }),
  },
  'the azp of another client': {
    reason: 'azp',
    launch: { claims: { azp: 'another-client' } },
  },
  'another key with the same id': {
    reason: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    launch: {
      sign: async (claims, { kid }) => signWith(claims, { ...(await createPlatformKey()), kid }),
    },
  },
  'a key that is not in the key set': {
    reason: 'ERR_JWKS_NO_MATCHING_KEY',
    launch: { sign: async (claims) => signWith(claims, await createPlatformKey()) },
  },
  'no algorithm': {
    reason: 'ERR_JOSE_ALG_NOT_ALLOWED',
    launch: { sign: (claims) => new UnsecuredJWT(claims).encode() },
  },
  'the public key as a secret (HS256)': {
    reason: 'ERR_JOSE_ALG_NOT_ALLOWED',
    launch: {
      async sign(claims, { kid, publicJwk }) {
        const publicKey = (await importJWK(publicJwk, 'RS256')) as CryptoKey;
        const secret = new TextEncoder().encode(await exportSPKI(publicKey));
        return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
      },
    },
  },
  'a key inside the token': {
    reason: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    launch: {
      async sign(claims) {
        const { privateKey, publicJwk } = await createPlatformKey();
        const header = { alg: 'RS256', jwk: publicJwk, jku: 'http://127.0.0.1:9/keys' };
        return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      },
    },
  },
  'an expired token': {
    reason: 'ERR_JWT_EXPIRED',
    launch: () => ({ claims: { iat: now() - 7200, exp: now() - 3600 } }),
  },
  'no expiry': {
    reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED exp',
    launch: { claims: { exp: undefined } },
  },
  'an unknown deployment': { reason: 'deployment', launch: { lti: { deployment_id: '2' } } },
  'no deployment': {
    reason: `${ltiClaim}/deployment_id`,
    launch: { lti: { deployment_id: undefined } },
  },
  'another version': { reason: `${ltiClaim}/version`, launch: { lti: { version: '1.1' } } },
  'another type of message': {
    reason: `${ltiClaim}/message_type`,
    launch: { lti: { message_type: 'LtiSubmissionReviewRequest' } },
  },
  'no type of message': {
    reason: `${ltiClaim}/message_type`,
    launch: { lti: { message_type: undefined } },
  },
  'a target on another site': {
    reason: `${ltiClaim}/target_link_uri`,
    launch: { lti: { target_link_uri: 'https://evil.example/course' } },
  },
  'a target on another port': {
    reason: `${ltiClaim}/target_link_uri`,
    launch: () => ({ lti: { target_link_uri: toPublicOrigin(app).replace(/\d+$/, '1') } }),
  },
  'a target with our origin as its user': {
    reason: `${ltiClaim}/target_link_uri`,
    launch: () => ({ lti: { target_link_uri: `${toPublicOrigin(app)}@evil.example/course` } }),
  },
  'no course': { reason: 'no course', launch: { lti: { context: undefined } } },
  'a course without an id': {
    reason: `${ltiClaim}/context id`,
    launch: { lti: { context: { title: 'Calculus' } } },
  },
  'a test user': { reason: 'test user', launch: { roles: [roles.instructor, roles.testUser] } },
};

describe('a launch is rejected with', () => {
  for (const [name, { reason, launch: given = {}, change }] of Object.entries(rejected)) {
    test(`${name} [LTI-4]`, async () => {
      const described = typeof given === 'function' ? given() : given;

      const response = await launch(app.visitor(), platform, described, change);

      await expectRejection(response);
      expect(app.logLines.at(-1)).toContain(`"reason":"${reason}"`);
    });
  }

  test('a form that was sent before [LTI-4]', async () => {
    const client = app.visitor();
    const started = await startLogin(client, platform);
    const stateCookies = client.cookie();
    expect((await postLaunch(client, platform, started)).status).toBe(303);

    const repeated = await postLaunch(client, platform, started);
    const again = app.visitor(undefined, { cookie: stateCookies });
    const withState = await postLaunch(again, platform, started);

    await expectRejection(repeated);
    await expectRejection(withState);
  });

  test('the state of another browser [LTI-4]', async () => {
    const started = await startLogin(app.visitor(), platform);
    const victim = app.visitor();
    // The victim has a state of their own.
    await startLogin(victim, platform);

    await expectRejection(await postLaunch(victim, platform, started));
    expect(app.logLines.at(-1)).toContain('"reason":"state"');
  });

  test('a state of one platform and a token of another [LTI-4]', async () => {
    const client = app.visitor();
    for (const names of [{}, { iss: platform.issuer, aud: platform.clientId }]) {
      const started = await startLogin(client, platform);
      const nonce = new URL(started.authorizationUrl).searchParams.get('nonce')!;
      const state = started.form.fields.get('state')!;
      const claims = { ...names, nonce };
      const other = await startLogin(client, otherPlatform, { claims });
      other.form.fields.set('state', state);

      await expectRejection(await postLaunch(client, otherPlatform, other));
      expect(app.logLines.at(-1)).toContain('"reason":"ERR_JWKS_NO_MATCHING_KEY"');
    }
  });
});

describe('a login is rejected', () => {
  const changes: Record<string, (login: URLSearchParams) => void> = {
    'from an unknown issuer': (login) => login.set('iss', 'https://evil.example'),
    'for an unknown client': (login) => login.set('client_id', 'another-client'),
    'for the client of another platform': (login) => login.set('client_id', otherPlatform.clientId),
    'to another site': (login) => login.set('target_link_uri', 'https://evil.example/course'),
    'without a hint': (login) => login.delete('login_hint'),
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`${name} [LTI-2]`, async () => {
      const client = app.visitor();
      const { login } = platform.start();
      change(login);

      for (const init of [{}, { method: 'POST', body: login }]) {
        const path = init.method ? '/lti/login' : `/lti/login?${login}`;
        const response = await client.fetch(path, { redirect: 'manual', ...init });
        await expectRejection(response);
        expect(client.cookie()).toBe('');
      }
    });
  }

  test('without a client id if the issuer has two clients [LTI-2]', async () => {
    const second = await startPlatformFor(app);
    await registerPlatform(app, { ...second, issuer: platform.issuer });
    const { login } = platform.start();
    login.delete('client_id');

    await expectRejection(await app.visitor().fetch(`/lti/login?${login}`, { redirect: 'manual' }));
    expect(app.logLines.at(-1)).toContain('"reason":"several"');

    await second.stop();
  });
});

test('no claim of a rejected launch reaches the log or the database [LTI-5]', async () => {
  await launch(app.visitor(), platform, { lti: { version: '1.1' } });

  const lines = app.logLines.join('\n');
  expect(lines).toContain('lti.');
  expect(lines).not.toMatch(launchSecrets);
  expect(JSON.stringify(await app.database.tables())).not.toMatch(launchSecrets);
});
