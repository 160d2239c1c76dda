import { beforeAll, describe, expect, test } from 'vitest';
import type { ErrorBody } from '#contract/errors.ts';
import { http } from '#contract/http.ts';
import { toRouteUrl, routes, type RouteName } from '#contract/routes.ts';
import { nothing } from '#tests/calls/facts.ts';
import { createInput } from '#tests/calls/make-call.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

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

async function send(name: RouteName, body: unknown): Promise<{ status: number; reply: ErrorBody }> {
  const { params } = createInput(name, { ...nothing, classId });
  const response = await ada.fetch(toRouteUrl(name, { params }), {
    method: routes[name].method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, reply: (await response.json()) as ErrorBody };
}

describe('an invalid field', () => {
  test.each(cases)(
    '$name: the server rejects $field [ERROR-1]',
    async ({ name, field, value, body }) => {
      // The only list of the contract may be empty there.
      if (field === 'classSchedule' && Array.isArray(value) && value.length === 0) return;
      if (isAllowed(name, { ...body, [field]: value })) return;

      const { status, reply } = await send(name, { ...body, [field]: value });

      expect(status).toBe(400);
      expect(reply).toEqual({
        code: expect.stringMatching(/^[A-Z_]+$/) as string,
        message: expect.stringMatching(/^[A-Z][^\n]{5,120}[.)]$/) as string,
        // Several sentences have the code INVALID.
        ...(reply.reason !== undefined && { reason: expect.stringMatching(/^[A-Z_]+$/) as string }),
      });
    },
  );

  test.each(takesBody)('%s rejects an unknown field [HTTP-4]', async (name) => {
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

  describe.each([5_000, 15_000])('JSON nested %i levels deep', (depth) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deepObject = `${'{"a":'.repeat(depth / 3)}1${'}'.repeat(depth / 3)}`;

    test.each(strict)(
      'the call %s rejects deeply nested JSON at every position [HTTP-8]',
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

    test('a search rejects deeply nested JSON in each field [HTTP-8]', async () => {
      for (const field of ['query', 'facets', 'facetFilters', 'x']) {
        for (const value of [deep, deepObject]) {
          const requests = [{ indexName: 'classSearch', [field]: 'HERE' }];
          const body = JSON.stringify({ requests }).replace('"HERE"', value);
          expect((await send('searchClasses', body)).status).toBe(400);
        }
      }
    });

    test('a socket rejects a frame of deeply nested JSON with an error or closes [HTTP-8, HTTP-35]', async () => {
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

  test('the server reads JSON as deep as a search needs [HTTP-8]', async () => {
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
