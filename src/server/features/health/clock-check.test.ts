import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '#server/config/config-types.ts';
import type { Database } from '#server/store/tables.ts';
import { createClockCheck } from './clock-check.ts';

const hourMs = 60 * 60_000;
const noDatabase = {} as Database;

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const createConfig = (services: Partial<Pick<Config, 'mail' | 'oidc'>>) =>
  ({
    database: { kind: 'sqlite', file: '' },
    mail: { kind: 'folder' },
    oidc: null,
    ...services,
  }) as Config;

/** Starts a mail server whose clock differs. */
async function startMailServer(differenceMs: number): Promise<Config> {
  const server = createServer((socket) => {
    const time = new Date(Date.now() + differenceMs).toUTCString().replace('GMT', '+0000');
    socket.on('error', () => {}).write(`220 mx.example ESMTP Sendmail 8.18.1; ${time}\r\n`);
  });
  const port = await listen(server);
  return createConfig({ mail: { kind: 'smtp', url: `smtp://127.0.0.1:${port}`, from: 'a@b.c' } });
}

/** Starts an identity server whose clock differs. */
async function startIdentityServer(differenceMs: number): Promise<Config> {
  const server = createHttpServer((_, response) => {
    response.setHeader('Date', new Date(Date.now() + differenceMs).toUTCString()).end();
  });
  const issuer = new URL(`http://127.0.0.1:${await listen(server)}/realm`);
  return createConfig({ oidc: { issuer } as Config['oidc'] });
}

test.each([
  { service: 'the greeting of the mail server', start: startMailServer },
  { service: 'a reply of the identity server', start: startIdentityServer },
])('a clock differs if $service is an hour away [METRIC-16]', async ({ start }) => {
  for (const differenceMs of [hourMs, -hourMs]) {
    const check = createClockCheck(await start(differenceMs), noDatabase);
    await expect.poll(check).toBe(true);
  }
});

test('the same clock does not differ, and neither does that of a server that tells no time [METRIC-16]', async () => {
  const silent = createServer((socket) => void socket.write('220 mx.example ESMTP\r\n'));
  const port = await listen(silent);
  const tellsNoTime = createConfig({
    mail: { kind: 'smtp', url: `smtp://127.0.0.1:${port}`, from: 'a@b.c' },
  });
  for (const config of [await startMailServer(0), await startIdentityServer(0), tellsNoTime]) {
    const check = createClockCheck(config, noDatabase);
    for (let n = 0; n < 15; n++) {
      expect(await check()).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});
