import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { http } from '#contract/http.ts';
import { routeUrl, routes, type RouteName } from '#contract/routes.ts';
import { password, someClass, type TestClient } from '#tests/support/test-client.ts';
import { browserKeys } from '#tests/support/notifications.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let ada: TestClient;
let classId: string;
beforeAll(async () => {
  ada = await app.newStudent('ada');
  classId = await ada.createClass();
});

/** A valid body for each call. The tests break one field at a time. */
const bodies: Partial<Record<RouteName, Record<string, unknown>>> = {
  signUp: { email: 'new@university.edu', password },
  signIn: { email: 'ada@university.edu', password },
  requestPasswordReset: { email: 'ada@university.edu' },
  resetPassword: { token: 'x', newPassword: password },
  verifyEmail: { token: 'x', password },
  changePassword: { currentPassword: password, newPassword: 'another good one' },
  deleteAccount: { password, messages: 'keep' },
  createClass: { ...someClass },
  changePersona: { anonymousName: 'Blue Fox' },
  searchClasses: { requests: [{ indexName: 'classSearch', query: 'cs' }] },
};
/** Calls that also allow some of the wrong values, or are refused for another reason. Only invalid bodies get 400. */
const refusedBodies: Partial<Record<RouteName, Record<string, unknown>>> = {
  changeClassSettings: {
    version: 0,
    ...{ slowModeSeconds: 5, readOnly: false, picturesOff: false },
    ...{ description: 'x', rules: 'x', pins: [] },
  },
  editClass: { ...someClass, year: 2026 },
  importClasses: {
    apply: true,
    lines: [{ line: 2, fields: { ...someClass, semesterSeason: 'Fall', year: 2026 } }],
  },
  mergeClass: { keptClassId: 'A'.repeat(16) },
  announce: { classId: null, text: 'x', endsAt: Date.now() + 3_600_000 },
  endTerm: { semesterSeason: 'Fall', year: 1999 },
  findAccount: { email: 'a@university.edu' },
  resendVerification: { email: 'a@university.edu' },
  sendResetLink: { email: 'a@university.edu' },
  correctAddress: { email: 'a@university.edu', newEmail: 'b@university.edu' },
  endAccountSessions: { email: 'a@university.edu' },
  exportFoundAccount: { email: 'a@university.edu' },
  deleteFoundAccount: { email: 'a@university.edu', repeatedEmail: 'a@university.edu' },
  startSignOn: { again: false },
  finishSignOn: { response: '?code=x' },
  joinSignOn: { password },
  savePreferences: { ignored: [], hidden: [], muted: false, version: 0 },
  reportMember: { messageId: randomUUID(), reason: 'spam', text: 'x' },
  decideCase: { version: 1, decision: 'keep', reason: 'x', escalate: false },
  decideReview: { version: 1, decision: 'suspend', days: 7, reason: 'x' },
  liftSanction: { reason: 'x' },
  liftSuspension: { reason: 'x' },
  appeal: { text: 'x' },
  grantRole: { email: 'a@university.edu', classId: 'A'.repeat(16), role: 'staff', staffName: 'x' },
  requestUnmasking: { password, reason: 'x' },
  confirmUnmasking: { password },
  saveNotifications: { showText: false, quietHours: null, snoozedUntil: null },
  saveDigest: { digest: false },
  subscribePush: { endpoint: 'https://updates.push.services.mozilla.com/x', keys: browserKeys },
  chooseNotifications: { notify: 'all' },
};
const unknownId = 'A'.repeat(16);
const unknown = {
  ...{ memberId: unknownId, caseId: unknownId, reviewId: unknownId, requestId: unknownId },
  ...{ sanctionId: unknownId, suspensionId: unknownId, roleId: unknownId },
  announcementId: unknownId,
};

const wrongValues = [
  null,
  7,
  true,
  [],
  {},
  { $ne: '' },
  ['a'],
  'x'.repeat(5000),
  'a\u0000b',
  '\ud800',
];

/** The contract allows these values of the field. Who calls decides then, or the domain. */
const isAllowed = (name: RouteName, body: unknown) => {
  const call = http[name];
  return name in refusedBodies && 'body' in call && call.body.safeParse(body).success;
};

const cases = Object.entries({ ...bodies, ...refusedBodies }).flatMap(([name, body]) =>
  Object.keys(body).flatMap((field) =>
    wrongValues.map((value) => ({ name: name as RouteName, field, value, body })),
  ),
);

async function send(name: RouteName, body: unknown): Promise<{ status: number; reply: unknown }> {
  const response = await ada.fetch(routeUrl(name, { params: { classId, ...unknown } }), {
    method: routes[name].method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, reply: await response.json() };
}

describe('an invalid field', () => {
  test('an invalid field is in this table for every call that takes a body', () => {
    const taking = Object.entries(http).filter(([, call]) => 'body' in call);
    const listed = Object.keys({ ...bodies, ...refusedBodies });
    expect(listed.toSorted()).toEqual(taking.map(([name]) => name).toSorted());
  });

  test.each(cases)(
    '$name: the server refuses $field [ERROR-1, ERROR-2]',
    async ({ name, field, value, body }) => {
      // The only list of the contract may be empty there.
      if (field === 'classSchedule' && Array.isArray(value) && value.length === 0) return;
      if (isAllowed(name, { ...body, [field]: value })) return;
      const { status, reply } = await send(name, { ...body, [field]: value });
      expect(status).toBe(400);
      expect(reply).toEqual({
        code: expect.stringMatching(/^[A-Z_]+$/) as string,
        message: expect.stringMatching(/^[A-Z][^\n]{5,120}[.)]$/) as string,
      });
    },
  );

  test.each(Object.entries({ ...bodies, ...refusedBodies }))(
    '%s refuses an unknown field [HTTP-5]',
    async (name, body) => {
      const { status, reply } = await send(name as RouteName, { ...body, accountId: 'me' });
      expect(status).toBe(400);
      expect(reply).toMatchObject({ message: 'This request has an unknown field.' });
    },
  );

  test.each(['', '{', '[]', '7', '"x"', 'null', '{"__proto__":{"email":"x"}}'])(
    'the server refuses the body %j [ERROR-1]',
    async (body) => {
      expect((await send('createClass', body)).status).toBe(400);
    },
  );

  test('the server refuses a body over 64 KiB [HTTP-8]', async () => {
    const body = JSON.stringify({ ...someClass, courseName: 'x'.repeat(70_000) });
    expect(await send('createClass', body)).toMatchObject({
      status: 413,
      reply: { code: 'TOO_LARGE' },
    });
  });

  describe.each([5_000, 15_000])('JSON nested %i levels deep', (depth) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deepObject = `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`;

    test.each(Object.keys(bodies) as RouteName[])(
      'is refused by %s at every position [HTTP-36]',
      async (name) => {
        const fields = Object.keys(bodies[name] ?? {});
        const inside = [...fields, 'other'].flatMap((field) =>
          [deep, deepObject].map((value) => {
            const whole = JSON.stringify({ ...bodies[name], [field]: 'HERE' });
            return whole.replace('"HERE"', value);
          }),
        );
        for (const body of [deep, deepObject, ...inside]) {
          const { status, reply } = await send(name, body);
          expect(status).toBe(400);
          expect(reply).toMatchObject({ message: expect.any(String) as string });
        }
      },
    );

    test('is refused in each field of a search [HTTP-36]', async () => {
      for (const field of ['query', 'facets', 'facetFilters', 'x']) {
        for (const value of [deep, deepObject]) {
          const requests = [{ indexName: 'classSearch', [field]: 'HERE' }];
          const body = JSON.stringify({ requests }).replace('"HERE"', value);
          expect((await send('searchClasses', body)).status).toBe(400);
        }
      }
    });

    test('is refused in a frame with an error or by closing the socket [HTTP-36, HTTP-35]', async () => {
      const post = `"type":"post","rid":1,"classId":"${classId}","id":"x"`;
      for (const value of [deep, deepObject]) {
        for (const frame of [
          value,
          `{${post},"text":${value}}`,
          `{${post},"text":"x","other":${value}}`,
          `{"type":${value},"rid":1}`,
          `{"type":"subscribe","rid":${value}}`,
        ]) {
          const socket = await ada.connect();
          socket.sendText(frame);
          const answer = await Promise.race([
            socket.waitForReply(1).catch(() => socket.closed),
            socket.closed,
          ]);
          const outcome = typeof answer === 'number' ? answer : 'code' in answer && answer.code;
          expect([4002, 'INVALID']).toContain(outcome);
          socket.close();
        }
      }
      expect(await ada.snapshot(classId)).toBeDefined();
    });
  });

  test('the server reads JSON as deep as a search needs [HTTP-36]', async () => {
    const facetFilters = [['subjectAbbreviation:cs', 'subjectAbbreviation:math']];
    const query = { indexName: 'classSearch', query: 'cs', facetFilters };
    expect((await send('searchClasses', { requests: [query] })).status).toBe(200);
    const text = '[{"\\"'.repeat(40);
    const words = { indexName: 'classSearch', query: text };
    expect((await send('searchClasses', { requests: [words] })).status).toBe(200);
  });

  test('the server refuses an invalid history page [HTTP-2]', async () => {
    for (const query of [
      ...['before=0', 'before=x', 'limit=101', 'limit=-1', 'limit=1e9', 'newer=1'],
      ...['after=-1', 'around=x', 'since=x', 'before=3&after=1', 'since=1&around='],
    ]) {
      const response = await ada.fetch(`/api/classes/${classId}/messages?${query}`);
      expect(response.status).toBe(400);
    }
  });
});

describe('a cross-site request', () => {
  test('a cross-site request is refused if it writes and does not come from our own pages [HTTP-6]', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: app.origin.replace('http:', 'https:') },
      { origin: app.origin.replace(/\d+$/, '1') },
      { origin: app.origin, 'sec-fetch-site': 'cross-site' },
      { origin: app.origin, 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const init = { method: 'POST', body: JSON.stringify(someClass), headers };
      const response = await ada.fetch('/api/classes', init);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'FORBIDDEN_ORIGIN' });
    }
  });

  test('a cross-site request is refused under an unknown host name, except for the health check [HTTP-7, HTTP-11]', async () => {
    const ask = (path: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(`${app.origin}${path}`, { headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect(await ask('/api/me', 'evil.example')).toBe(421);
    expect(await ask('/api/me', new URL(app.origin).host)).toBe(200);
    expect(await ask('/healthz', 'evil.example')).toBe(200);
    expect(await ask('/readyz', '10.0.0.7:3000')).toBe(200);
  });

  test('a cross-site request opens no socket from another origin or without a session [WIRE-2]', async () => {
    const stranger = app.visitor();
    await expect(stranger.connect()).rejects.toThrow('401');
    const { WebSocket } = await import('ws');
    const url = app.origin.replace('http', 'ws');
    const failing = (path: string, origin?: string) =>
      new Promise<string>((resolve) => {
        new WebSocket(`${url}${path}`, 'backchannel.v1', origin ? { origin } : {}).on(
          'error',
          (error) => resolve(error.message),
        );
      });
    expect(await failing('/live', 'https://evil.example')).toContain('403');
    expect(await failing('/live')).toContain('403');
    expect(await failing('/other', app.origin)).toContain('404');
  });
});

describe('an unknown path', () => {
  test('an unknown path returns 404 with a message, for every method [HTTP-1]', async () => {
    for (const path of [
      '/api',
      '/api/nope',
      '/api/auth/get-session',
      '/api/auth/list-sessions',
      '/1/x',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const response = await ada.fetch(path, { method });
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
      }
    }
  });
});

describe('a signed-out visitor', () => {
  test.each(Object.keys(routes) as RouteName[])(
    'a signed-out visitor can call %s only if it is public [AUTH-22, HTTP-2]',
    async (name) => {
      const open = [
        'signUp',
        'signIn',
        'signOut',
        'requestPasswordReset',
        'resetPassword',
        'verifyEmail',
        'startSignOn',
        'finishSignOn',
        'mailSignOnLink',
        'joinSignOn',
        'unsubscribeDigest',
        'me',
        'readSiteOpenness',
        'countInterfaceError',
        'schoolTheme',
      ];
      const path = routeUrl(name, {
        params: {
          classId: 'no such id',
          imageId: 'none',
          deviceId: 'no such id',
          key: 'default',
          ...unknown,
        },
      });
      const { method } = routes[name];
      const init = method === 'GET' ? { method } : { method, body: '{}' };
      const response = await app.visitor().fetch(path, init);
      expect(response.status === 401).toBe(!open.includes(name));
    },
  );
});
