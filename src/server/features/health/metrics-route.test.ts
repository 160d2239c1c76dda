// Connections from other machines. tests/app/health/metrics.test.ts tests the rest on real connections.
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { handleErrors } from '#server/http/error-handler.ts';
import { registerMetricsRoute } from './metrics-route.ts';

async function fetchStatus(
  remoteAddress: string | undefined,
  host?: string,
  settings: Record<string, string> = {},
): Promise<number> {
  const app = new Hono();
  handleErrors(app, createLog({ write() {} }));
  registerMetricsRoute(
    app,
    { page: () => 'page', contentType: 'text/plain' },
    loadConfig(settings),
  );
  const incoming = { socket: { remoteAddress }, headers: { host } };
  return (await app.request('/metrics', {}, { incoming })).status;
}

test('without a token, only loopback addresses are served [METRIC-2]', async () => {
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) {
    expect(await fetchStatus(address, 'localhost:3000'), address).toBe(200);
  }
  for (const address of ['10.0.0.5', '::ffff:10.0.0.5', '128.0.0.1', 'fe80::1', '', undefined]) {
    expect(await fetchStatus(address, 'localhost:3000'), address).toBe(401);
  }
});

test('without a token, only names and addresses of this machine are served [METRIC-2]', async () => {
  for (const host of ['localhost', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST:3000']) {
    expect(await fetchStatus('127.0.0.1', host), host).toBe(200);
  }
  for (const host of ['chat.university.edu', 'localhost.evil.example', '10.0.0.5', 'a b', '']) {
    expect(await fetchStatus('127.0.0.1', host), host).toBe(401);
  }
  expect(await fetchStatus('127.0.0.1')).toBe(401);
});

test('behind https, local requests are served without a token only if the proxy is declared [METRIC-2]', async () => {
  const https = { PUBLIC_URL: 'https://chat.university.edu' };
  expect(await fetchStatus('127.0.0.1', 'localhost:3000', https)).toBe(401);
  const declared = { ...https, TRUSTED_PROXIES: '1' };
  expect(await fetchStatus('127.0.0.1', 'localhost:3000', declared)).toBe(200);
  expect(await fetchStatus('127.0.0.1', 'chat.university.edu', declared)).toBe(401);
});
