// The files of deploy/ in a real nginx, a real Caddy and a real Apache, in front of the real app.
import { randomUUID } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { ensureWebBuilt, webDir } from '#server/features/web-app/web-build.ts';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import {
  createTestClient,
  password,
  createClassWithTwoMembers,
} from '#tests/support/test-client.ts';
import { choosePorts, startProxy, type ProxyPorts, type RunningProxy } from './reverse-proxies.ts';

type Headers = Record<string, string | string[]>;

interface Asked {
  /** The client's own address, of the loopback network. */
  from?: string;
  method?: string;
  body?: string | Uint8Array;
  headers?: Headers;
}

interface Answer {
  status: number;
  /** Lower-case names, as often as they came. */
  headers: readonly (readonly [string, string])[];
  body: string;
}

beforeAll(() => ensureWebBuilt(() => {}));

const proxyNames = ['nginx', 'caddy', 'caddy-nodes', 'apache2'] as const;
describe.each(proxyNames)('%s with the file of deploy/', (name) => {
  let ports: ProxyPorts;
  let app: RunningApp;
  let proxy: RunningProxy;
  let origin: string;
  let students = 0;
  beforeAll(async () => {
    ports = await choosePorts();
    origin = `https://localhost:${ports.https}`;
    const settings = {
      PUBLIC_URL: origin,
      TRUSTED_PROXIES: '1',
      LIMITS: 'signUps=3/1h',
    };
    app = await startApp(settings, undefined, webDir);
    await startNextProxy();
  });
  afterAll(async () => {
    await proxy.stop();
    await app.stop();
  });

  async function startNextProxy(): Promise<void> {
    proxy = await startProxy(name, ports, new URL(app.origin).host);
    setDefaultCACertificates([...getCACertificates('bundled'), proxy.certificate]);
  }

  function ask(path: string, askOptions: Asked = {}): Promise<Answer> {
    const { from = '127.0.0.1', method = 'GET', body = '', headers = {} } = askOptions;
    return new Promise((resolve, reject) => {
      const options = { method, headers: { origin, ...headers }, localAddress: from, family: 4 };
      const call = request(new URL(path, origin), { ...options, agent: false }, (answer) => {
        const { rawHeaders } = answer;
        const names = rawHeaders
          .filter((_, i) => i % 2 === 0)
          .map((header) => header.toLowerCase());
        const headerList = names.map(
          (headerName, i) => [headerName, rawHeaders[2 * i + 1]!] as const,
        );
        text(answer).then(
          (content) =>
            resolve({ status: answer.statusCode ?? 0, headers: headerList, body: content }),
          reject,
        );
      });
      call.on('error', reject).end(body);
    });
  }

  async function createStudent() {
    const student = createTestClient(origin, `${name}${++students}@university.edu`);
    await student.signUp();
    return student;
  }

  test(`${name} serves the sign-in page by https, and redirects http to it [DEPLOY-3]`, async () => {
    const page = await ask('/signin');
    expect(page.status).toBe(200);

    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.body)?.[1];
    expect((await ask(script!)).status).toBe(200);

    const plain = new URL(`http://localhost:${ports.http}/signin`);
    const location = await new Promise((resolve, reject) => {
      const plainRequest = requestHttp(plain, { family: 4 }, ({ headers }) =>
        resolve(headers.location),
      );
      plainRequest.on('error', reject).end();
    });
    expect(location).toMatch(/^https:\/\/localhost(:\d+)?\/signin$/);
  });

  test(`the doctor says through ${name} that the certificate ends soon [DOCTOR-6]`, async () => {
    const { output } = await runCommand('doctor', [], {
      ...app.database.settings,
      PUBLIC_URL: origin,
      TRUSTED_PROXIES: '1',
    });

    expect(output).toMatch(/! proxy +The certificate ends in [012] days?,/);
  });

  test(`${name} forwards WebSockets and pictures of the largest size [DEPLOY-3, SEND-5]`, async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers({ createStudent });
    const hers = await ada.connectTo(classId);
    const his = await ben.connectTo(classId);

    const id = randomUUID();
    expect(await his.post(classId, 'by the proxy', id)).toMatchObject({ type: 'ack' });

    const hasText = (frame: unknown, wantedText: string) =>
      JSON.stringify(frame).includes(wantedText);
    await hers.waitFor('events', (frame) => hasText(frame, id));

    const picture = await createJpeg(600, 400);
    const file = new Uint8Array(limits.imageBytes);
    file.set(picture);
    const { imageId, imageUrl } = await upload(ada, classId, file);
    const messageId = await postPicture(hers, classId, imageId);
    await his.waitFor('events', (frame) => hasText(frame, messageId));
    const image = await loadImageMetadata(ben, imageUrl);
    expect(image).toMatchObject({ width: 600 });
  });

  test(`${name} forwards a reply that rejects an upload before it has arrived [DEPLOY-3]`, async () => {
    const student = await createStudent();
    const classId = await student.createClass();
    const path = `/api/classes/${classId}/images`;
    const cookie = student.cookie();
    const headers = { origin, cookie, 'content-type': 'application/octet-stream' };
    const body = new Uint8Array(limits.imageBytes + 1);
    for (let tries = 0; tries < 20; tries++) {
      const session = connect(origin);
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
      stream.end(body);
      expect(await text(stream)).toContain('"IMAGE_TOO_LARGE"');
      session.destroy();
    }

    // By HTTP/1, the end of the connection can overtake the answer, but the answer is never the proxy's own.
    for (let tries = 0; tries < 20; tries++) {
      const answer = await ask(path, { method: 'POST', body, headers }).catch(() => null);
      expect(answer?.status).not.toBe(502);
    }
  });

  test(`${name} reports the client’s own address, whatever headers the client sends [DEPLOY-3, CONF-13]`, async () => {
    const body = JSON.stringify({ email: 'ada@elsewhere.edu', password });
    const tryFrom = async (from: string, forged: Headers = {}) => {
      const headers = { 'content-type': 'application/json', ...forged };
      return (await ask('/api/auth/sign-up/email', { from, method: 'POST', body, headers })).status;
    };
    const forgeries: Headers[] = [
      { 'X-Forwarded-For': '192.0.2.1' },
      { 'X-Forwarded-For': '192.0.2.2, 192.0.2.3' },
      { 'X-Forwarded-For': ['192.0.2.4', '192.0.2.5'] },
    ];

    for (const forged of forgeries) expect(await tryFrom('127.0.0.2', forged)).toBe(400);

    forgeries.push({ 'X-Real-IP': '192.0.2.6' }, { Forwarded: 'for=192.0.2.7' });
    for (const forged of forgeries) expect(await tryFrom('127.0.0.2', forged)).toBe(429);
    expect(await tryFrom('127.0.0.3')).toBe(400);
    expect(await tryFrom('127.0.0.3', { 'X-Forwarded-For': '127.0.0.2' })).toBe(400);
  });

  test(`${name} leaves the security headers as they are [DEPLOY-3]`, async () => {
    for (const path of ['/signin', '/api/me', '/api/classes', '/assets/none.js']) {
      const { headers } = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
      const names = headers
        .map(([headerName]) => headerName)
        .filter((headerName) => headerName !== 'set-cookie');
      expect(names, path).toHaveLength(new Set(names).size);
      expect(names, path).toEqual(
        expect.arrayContaining([
          ...['content-security-policy', 'strict-transport-security', 'x-content-type-options'],
          ...['x-frame-options', 'referrer-policy', 'cache-control'],
        ]),
      );
      expect(names, path).not.toContain('content-encoding');
    }
  });

  test(`${name} writes no address and no path into its logs [DEPLOY-3, ANON-3]`, async () => {
    const from = '127.0.0.4';
    expect((await ask('/api/classes/written-nowhere', { from })).status).toBe(401);

    await app.restart(async () => {
      const { status } = await ask('/api/classes/written-nowhere', { from });
      // Apache says 503.
      expect([502, 503]).toContain(status);
    });
    const log = await proxy.stop();
    await startNextProxy();

    expect(log).not.toMatch(/written-nowhere|127\.0\.0\.4/);
  });
});
