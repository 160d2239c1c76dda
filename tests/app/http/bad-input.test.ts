import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { http } from '#contract/http.ts';
import { toRouteUrl, routes, type RouteName } from '#contract/routes.ts';
import { nothing } from '#tests/calls/facts.ts';
import { createInput } from '#tests/calls/make-call.ts';
import { needsSession } from '#tests/calls/outcomes.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let ada: TestClient;
let classId: string;
beforeAll(async () => {
  ada = await app.createStudent('ada');
  classId = await ada.createClass();
});

/** The tests break one field at a time of a valid body. */
const createBody = (name: RouteName) =>
  createInput(name, { ...nothing, review: { decision: 'suspend', days: 7 } }).body as Record<
    string,
    unknown
  >;

const takesBody = (Object.keys(http) as RouteName[]).filter((name) => 'body' in http[name]);

/** Calls that reject each wrong value with 400. Others allow some of them, or reject them for another reason. */
const strict: readonly RouteName[] = [
  'signUp',
  'signIn',
  'requestPasswordReset',
  'resetPassword',
  'verifyEmail',
  'changePassword',
  'deleteAccount',
  'createClass',
  'changePersona',
  'searchClasses',
];

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
  return !strict.includes(name) && 'body' in call && call.body.safeParse(body).success;
};

const cases = takesBody.flatMap((name) => {
  const body = createBody(name);
  return Object.keys(body).flatMap((field) =>
    wrongValues.map((value) => ({ name, field, value, body })),
  );
});

async function send(name: RouteName, body: unknown): Promise<{ status: number; reply: unknown }> {
  const { params } = createInput(name, { ...nothing, classId });
  const response = await ada.fetch(toRouteUrl(name, { params }), {
    method: routes[name].method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, reply: await response.json() };
}

describe('an invalid field', () => {
  test.each(cases)(
    '$name: the server rejects $field [ERROR-1, ERROR-2]',
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

  test.each(takesBody)('%s rejects an unknown field [HTTP-5]', async (name) => {
    const { status, reply } = await send(name, { ...createBody(name), accountId: 'me' });

    expect(status).toBe(400);
    expect(reply).toMatchObject({ message: 'This request has an unknown field.' });
  });

  test.each(['', '{', '[]', '7', '"x"', 'null', '{"__proto__":{"email":"x"}}'])(
    'the server rejects the body %j [ERROR-1]',
    async (body) => {
      expect((await send('createClass', body)).status).toBe(400);
    },
  );

  test('the server rejects a body over 64 KiB [HTTP-8]', async () => {
    const body = JSON.stringify({ ...someClass, courseName: 'x'.repeat(70_000) });

    expect(await send('createClass', body)).toMatchObject({
      status: 413,
      reply: { code: 'TOO_LARGE' },
    });
  });

  describe.each([5_000, 15_000])('JSON nested %i levels deep', (depth) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deepObject = `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`;

    test.each(strict)(
      'the call %s rejects deeply nested JSON at every position [HTTP-36]',
      async (name) => {
        const valid = createBody(name);
        const nestedBodies = [...Object.keys(valid), 'other'].flatMap((field) =>
          [deep, deepObject].map((value) => {
            const body = JSON.stringify({ ...valid, [field]: 'HERE' });
            return body.replace('"HERE"', value);
          }),
        );

        for (const body of [deep, deepObject, ...nestedBodies]) {
          const { status, reply } = await send(name, body);
          expect(status).toBe(400);
          expect(reply).toMatchObject({ message: expect.any(String) as string });
        }
      },
    );

    test('a search rejects deeply nested JSON in each field [HTTP-36]', async () => {
      for (const field of ['query', 'facets', 'facetFilters', 'x']) {
        for (const value of [deep, deepObject]) {
          const requests = [{ indexName: 'classSearch', [field]: 'HERE' }];
          const body = JSON.stringify({ requests }).replace('"HERE"', value);
          expect((await send('searchClasses', body)).status).toBe(400);
        }
      }
    });

    test('a socket rejects a frame of deeply nested JSON with an error or closes [HTTP-36, HTTP-35]', async () => {
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

  test('the server rejects an invalid history page [HTTP-2]', async () => {
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
  test('a cross-site request is rejected if it writes and does not come from our own pages [HTTP-6]', async () => {
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

  test('a cross-site request is rejected under an unknown host name, except for the health check [HTTP-7, HTTP-11]', async () => {
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
    const getOpenError = (path: string, origin?: string) =>
      new Promise<string>((resolve) => {
        new WebSocket(`${url}${path}`, 'backchannel.v1', origin ? { origin } : {}).on(
          'error',
          (error) => resolve(error.message),
        );
      });
    expect(await getOpenError('/live', 'https://evil.example')).toContain('403');
    expect(await getOpenError('/live')).toContain('403');
    expect(await getOpenError('/other', app.origin)).toContain('404');
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
      const { params } = createInput(name, nothing);
      const path = toRouteUrl(name, { params });
      const { method } = routes[name];
      const init = method === 'GET' ? { method } : { method, body: '{}' };

      const response = await app.visitor().fetch(path, init);

      // A public call rejects the body before it asks who this is.
      expect(response.status === 401).toBe(needsSession(name));
    },
  );
});
