import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import type { Caller } from './call-limits.ts';
import { handleErrors } from './error-handler.ts';
import { isNestedTooDeep, maxJsonDepth, createRoute } from './route.ts';

function serve(reply: object) {
  const lines: string[] = [];
  const app = new Hono();
  handleErrors(app, createLog({ write: (line) => lines.push(line) }));
  const callLimits = {
    getCaller: (): Caller => [{ key: '', limitMultiplier: 1 }],
    admit: () => {},
    count: () => {},
    delayRejection: async () => {},
  };
  const route = createRoute(
    app,
    {
      authenticate: async () => null,
      isSuspended: () => false,
      readStanding: async () => 'active',
      checkRole: async () => '',
      checkFactor: async () => {},
    },
    callLimits,
    {} as never,
  );
  route('me', async () => reply as never);
  return { lines, ask: () => app.request('/api/me') };
}

const account = { email: 'a@b.c', key: 'opaque', roles: [], suspended: false };

test.each([
  ['more than its schema', { account: { ...account, accountId: 'secret' } }],
  ['less than its schema', { account: {} }],
])('a reply that has %s is not sent [HTTP-4, ERROR-1]', async (_, reply) => {
  const { lines, ask } = serve(reply);
  const response = await ask();
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    code: 'INTERNAL',
    message: 'Something went wrong. Please try again.',
  });
  expect(lines.join('')).toContain('reply.not-allowed');
  expect(lines.join('')).not.toContain('secret');
});

test('a reply of exactly its schema is sent [HTTP-4]', async () => {
  const reply = { account };
  const response = await serve(reply).ask();
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(reply);
});

const createNested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test('rejects JSON beyond the depth limit, not at it [HTTP-8]', () => {
  expect(isNestedTooDeep(createNested(maxJsonDepth))).toBe(false);
  expect(isNestedTooDeep(createNested(maxJsonDepth + 2))).toBe(true);
  expect(isNestedTooDeep(`[${'[],'.repeat(1000)}1]`)).toBe(false);
});

test('ignores brackets in strings, also after escapes [HTTP-8]', () => {
  const text = `\\"${'['.repeat(100)}\\`;
  expect(isNestedTooDeep(JSON.stringify({ text, more: [text] }))).toBe(false);
  // The string ends before the brackets, because its last backslash is itself escaped.
  expect(isNestedTooDeep(`["\\\\",${'['.repeat(maxJsonDepth)}`)).toBe(true);
});
