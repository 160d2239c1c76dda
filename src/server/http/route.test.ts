import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import type { Caller } from './call-limits.ts';
import { handleErrors } from './error-handler.ts';
import { routeOn } from './route.ts';

function serve(reply: object) {
  const lines: string[] = [];
  const app = new Hono();
  handleErrors(app, createLog({ write: (line) => lines.push(line) }));
  const callLimits = {
    callerOf: (): Caller => [{ key: '', width: 1 }],
    admit: () => {},
    count: () => {},
    hold: async () => {},
  };
  const route = routeOn(app, { accountOf: async () => null }, callLimits);
  route('me', 'public', async () => reply as never);
  return { lines, ask: () => app.request('/api/me') };
}

test.each([
  ['more than its schema', { account: { email: 'a@b.c', key: 'opaque', accountId: 'secret' } }],
  ['less than its schema', { account: {} }],
])('a reply that has %s is not sent [HTTP-4, ERROR-2]', async (_, reply) => {
  const { lines, ask } = serve(reply);
  const response = await ask();
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    code: 'INTERNAL',
    message: 'Something went wrong here. Please try again.',
  });
  expect(lines.join('')).toContain('reply.not-allowed');
  expect(lines.join('')).not.toContain('secret');
});

test('a reply of exactly its schema is sent [HTTP-4]', async () => {
  const reply = { account: { email: 'a@b.c', key: 'opaque' } };
  const response = await serve(reply).ask();
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(reply);
});
