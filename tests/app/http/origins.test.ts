// Which origins may write and open sockets, and which hosts are accepted. The tests send raw bytes that no
// HTTP client allows.
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { imagesPath, routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import { password } from '#tests/support/test-client.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let host: string;
let cookie: string;
beforeAll(async () => {
  ({ host } = new URL(app.origin));
  const ada = await app.createStudent();
  const signIn = await ada.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    body: JSON.stringify({ email: ada.email, password }),
  });
  cookie = signIn.headers.getSetCookie()[0]!.split(';')[0]!;
});

/** Sends these header lines and a body, and returns the whole response. */
async function sendRaw(
  lines: readonly string[],
  body = '',
): Promise<{ status: number; text: string }> {
  const socket = connect(Number(new URL(app.origin).port), '127.0.0.1');
  socket.write(
    [...lines, `Content-Length: ${body.length}`, 'Connection: close', '', body].join('\r\n'),
  );
  return receiveResponse(socket);
}

async function receiveResponse(socket: ReturnType<typeof connect>) {
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  // After a successful upgrade the test needs no more data.
  socket.on('data', () => text.startsWith('HTTP/1.1 101') && socket.destroy());
  await once(socket, 'close');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

/** Sends a browser's WebSocket handshake with these headers changed. */
async function openSocket(headers: Record<string, string | null>, target = '/live') {
  const all: Record<string, string | null> = {
    Host: host,
    Origin: app.origin,
    Cookie: cookie,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol': 'backchannel.v1',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : `${name}: ${value}`,
  );
  const socket = connect(Number(new URL(app.origin).port), '127.0.0.1');
  socket.write([`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  return receiveResponse(socket);
}

const getOtherPort = () => app.origin.replace(/\d+$/, '1');
const foreign: [string, () => Record<string, string | null>][] = [
  ['no origin', () => ({ Origin: null })],
  ['the origin of a sandbox', () => ({ Origin: 'null' })],
  ['an empty origin', () => ({ Origin: '' })],
  ['another site', () => ({ Origin: 'https://evil.example' })],
  ['another port', () => ({ Origin: getOtherPort() })],
  ['another scheme', () => ({ Origin: app.origin.replace('http:', 'https:') })],
  ['a subdomain', () => ({ Origin: app.origin.replace('127.0.0.1', 'x.localhost') })],
  ['a name that ends like ours', () => ({ Origin: `http://evil${host}` })],
  ['a name that begins like ours', () => ({ Origin: `${app.origin}.evil.example` })],
  ['a user name like ours', () => ({ Origin: `http://${host}@evil.example` })],
  ['a path behind ours', () => ({ Origin: `${app.origin}/` })],
  ['two origins', () => ({ Origin: `${app.origin}, https://evil.example` })],
  ['another site, as the browser says', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
  ['a subdomain, as the browser says', () => ({ 'Sec-Fetch-Site': 'same-site' })],
];

describe.each(foreign)('a request from %s', (source, createHeaders) => {
  test(`the server rejects every write from ${source} [HTTP-6]`, async () => {
    const writes = (Object.keys(routes) as RouteName[]).filter(
      // Mail servers send no origin (DIGEST-8).
      (name) => routes[name].method !== 'GET' && name !== 'unsubscribeDigest',
    );

    expect(writes.length).toBeGreaterThan(5);

    for (const name of writes) {
      const path = toRouteUrl(name, { params: { classId: 'AAAAAAAAAAAAAAAA' } });
      const all = { Host: host, Origin: app.origin, Cookie: cookie, ...createHeaders() };
      const lines = Object.entries(all).flatMap(([header, value]) =>
        value === null ? [] : `${header}: ${value}`,
      );
      const { status, text } = await sendRaw(
        [`${routes[name].method} ${path} HTTP/1.1`, ...lines],
        '{}',
      );
      expect(status, name).toBe(403);
      expect(text).toContain('"FORBIDDEN_ORIGIN"');
    }
  });

  test(`no socket opens from ${source} [WIRE-2, HTTP-6]`, async () => {
    expect((await openSocket(createHeaders())).status).toBe(403);
  });
});

test('our own pages can write and open a socket [HTTP-6, WIRE-2]', async () => {
  for (const site of [null, 'same-origin']) {
    expect((await openSocket({ 'Sec-Fetch-Site': site })).status).toBe(101);
  }

  const lines = [
    `Host: ${host}`,
    `Origin: ${app.origin}`,
    `Cookie: ${cookie}`,
    'Sec-Fetch-Site: same-origin',
  ];
  expect((await sendRaw(['POST /api/classes HTTP/1.1', ...lines], '{}')).status).toBe(400);
});

describe('an unknown host', () => {
  const forged = [
    'X-Forwarded-Host: 127.0.0.1',
    'X-Host: 127.0.0.1',
    'Forwarded: host=127.0.0.1',
    'X-Forwarded-Proto: https',
  ];

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1:1',
    '127.0.0.1@evil.example',
    'localhost evil.example',
    'evil.example#127.0.0.1',
    '',
  ])('the unknown host %j is rejected, whatever forwarding headers say [HTTP-7]', async (name) => {
    const { status } = await sendRaw(['GET /api/me HTTP/1.1', `Host: ${name}`, ...forged]);

    expect([400, 421]).toContain(status);
    expect([400, 421]).toContain((await openSocket({ Host: name })).status);
  });

  test('an unknown host in the request line is rejected, except for the health check [HTTP-7, HTTP-11]', async () => {
    const requestTarget = (to: string) =>
      sendRaw([`GET ${to} HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`]);
    expect((await requestTarget('http://evil.example/api/classes')).status).toBe(421);
    expect((await requestTarget(`http://${host}@evil.example/api/classes`)).status).toBe(421);
    expect((await requestTarget(`http://${host}/api/classes`)).status).toBe(200);

    const { status } = await sendRaw([`GET http://${host}/api/me HTTP/1.1`, 'Host: evil.example']);
    expect(status).toBe(421);
    for (const path of ['/healthz', '/readyz']) {
      expect((await requestTarget(`http://evil.example${path}`)).status).toBe(200);
    }
    expect((await openSocket({}, 'http://evil.example/live')).status).toBe(421);
    expect((await openSocket({ Host: 'evil.example' }, `http://${host}/live`)).status).toBe(421);
  });

  test('a request with a repeated or missing Host header is rejected [HTTP-7]', async () => {
    for (const hosts of [
      [host, 'evil.example'],
      ['evil.example', host],
      [host, host],
      [host, ''],
    ]) {
      const lines = hosts.map((name) => `Host: ${name}`);
      for (const line of ['GET /api/me', 'GET /signin', 'POST /api/auth/sign-in/email']) {
        const answer = await sendRaw([`${line} HTTP/1.1`, ...lines, `Origin: ${app.origin}`], '{}');
        expect([400, 421], line).toContain(answer.status);
      }
      const repeatedHost = { Host: `${hosts[0]}\r\nHost: ${hosts[1]}` };
      expect([400, 421]).toContain((await openSocket(repeatedHost)).status);
    }

    expect((await openSocket({})).status).toBe(101);
    expect([400, 421]).toContain((await sendRaw(['GET /api/me HTTP/1.1'])).status);
    expect([400, 421]).toContain((await sendRaw(['GET /api/me HTTP/1.0'])).status);
  });
});

test('no cache stores an error response, whichever check it comes from [HTTP-10]', async () => {
  const writing = `Origin: ${app.origin}\r\nCookie: ${cookie}`;
  const requests: [string, string, number][] = [
    ['GET /api/me', 'Host: evil.example', 421],
    ['GET /signin', 'Host: evil.example', 421],
    ['GET /api/me', `Host: ${host}\r\nHost: ${host}`, 400],
    ['POST /api/classes', `Host: ${host}`, 403],
    ['POST /api/classes', `Host: ${host}\r\n${writing}`, 400],
    ['GET /api/classes', `Host: ${host}`, 401],
    ['GET /api/nope', `Host: ${host}`, 404],
    ['GET /images/AAAAAAAAAAAAAAAA.webp', `Host: ${host}`, 404],
    ['GET /live', `Host: ${host}`, 426],
  ];
  for (const [line, header, expected] of requests) {
    const { status, text } = await sendRaw([`${line} HTTP/1.1`, header], '{}');
    expect(status, line).toBe(expected);
    expect(text.toLowerCase(), line).toContain('\r\ncache-control: no-store\r\n');
  }

  const large = await sendRaw(
    ['POST /api/classes HTTP/1.1', `Host: ${host}`, writing],
    'x'.repeat(70_000),
  );
  expect(large.status).toBe(413);
  expect(large.text).toContain('no-store');

  const handshakes: [Record<string, string | null>, string, number][] = [
    [{ Host: 'evil.example' }, '/live', 421],
    [{ Origin: null }, '/live', 403],
    [{ Cookie: null }, '/live', 401],
    [{}, '/other', 404],
  ];
  for (const [headers, target, expected] of handshakes) {
    const { status, text } = await openSocket(headers, target);
    expect(status).toBe(expected);
    expect(text).toContain('\r\nCache-Control: no-store\r\n');
  }
});

test('every response has the security headers, also an error [HTTP-9, HTTP-33]', async () => {
  const requests: [string, string, number][] = [
    ['GET /api/me', host, 200],
    ['GET /api/classes', host, 401],
    ['GET /api/nope', host, 404],
    ['POST /api/classes', host, 403],
    ['GET /api/me', 'evil.example', 421],
    ['GET /healthz', host, 200],
  ];
  for (const [line, to, expected] of requests) {
    const { status, text } = await sendRaw([`${line} HTTP/1.1`, `Host: ${to}`]);
    expect(status, line).toBe(expected);
    const headers = new Map(
      text
        .split('\r\n\r\n')[0]!
        .split('\r\n')
        .slice(1)
        .map((header) => {
          const [name = '', ...value] = header.split(': ');
          return [name.toLowerCase(), value.join(': ')];
        }),
    );
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types service-worker',
    ]) {
      expect(policy.split('; '), line).toContain(part);
    }
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers.get('permissions-policy')).toMatch(
      /camera=\(\).*geolocation=\(\).*microphone=\(\)/,
    );
    for (const [name, value] of headers) {
      expect(`${name} ${value}`).not.toMatch(/hono|express|node/i);
    }
  }
});

describe('a connection', () => {
  const request = () => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  function countAnswers(text: string): number {
    return text.split('HTTP/1.1 200').length - 1;
  }

  test('a connection that sends a thousand requests without waiting is closed [HTTP-54]', async () => {
    const socket = connect(Number(new URL(app.origin).port), '127.0.0.1');
    socket.write(request().repeat(1000));

    const { text } = await receiveResponse(socket);

    expect(countAnswers(text)).toBeLessThanOrEqual(2);
  });

  test('a browser that has all bytes of a file can send its next request [HTTP-54]', async () => {
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    const { imageId } = await upload(ada, classId, await createJpeg());

    for (let n = 0; n < 50; n++) {
      const file = await ada.fetch(`${imagesPath}${imageId}.webp`);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });

  test('a connection that waits for each reply can send any number of requests [HTTP-54]', async () => {
    const socket = connect(Number(new URL(app.origin).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    for (let n = 1; n <= 50; n++) {
      socket.write(request());
      await vi.waitFor(() => expect(countAnswers(text)).toBe(n), { interval: 1 });
    }
    socket.destroy();
  });
});
