// A push service and its browsers, on this machine: it checks what the server sends as a real one does, and the browsers
// decrypt it (RFC 8291, RFC 8292).
import assert from 'node:assert/strict';
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  pushPayloadSchema,
  type PushPayload,
  type PushSubscription,
} from '#contract/notifications.ts';

export interface ReceivedPush {
  payload: PushPayload;
  /** The payload as it was decrypted. */
  text: string;
  headers: IncomingHttpHeaders;
  /** The size of the encrypted body. */
  bytes: number;
  /** Since the epoch, in milliseconds. */
  receivedAt: number;
}

/** A browser on one device. */
export interface PushBrowser {
  subscription: PushSubscription;
  /** All valid notifications so far. */
  received: readonly ReceivedPush[];
  /** Notifications of the class so far. */
  listPushes(classId: string): ReceivedPush[];
  /** Waits until the class has notified this often, and returns the last one. */
  waitFor(classId: string, count?: number): Promise<ReceivedPush>;
}

export interface PushService {
  /** The value of PUSH_HOSTS. */
  host: string;
  newBrowser(): PushBrowser;
  /** The answers to the next requests for this browser, before 201. */
  answer(browser: PushBrowser, answers: readonly Answer[]): void;
  /** The number of requests for this browser, rejected ones included. */
  countRequests(browser: PushBrowser): number;
  /** The number of connections that are open now. */
  connections(): Promise<number>;
  /** What was wrong with requests. */
  problems: readonly string[];
  /** Paths of requests to other addresses, such as the target of a redirect. */
  strays: readonly string[];
  close(): Promise<void>;
}

const waitMs = 20_000;

export type Answer =
  /** The service never answers. */
  | { isSilent: true }
  | {
      status: number;
      headers?: Readonly<Record<string, string>>;
      /** The body never ends. */
      isEndless?: boolean;
    };

interface Endpoint {
  received: ReceivedPush[];
  answers: Answer[];
  requests: number;
  decrypt(body: Buffer): string;
}

export async function startPushService(): Promise<PushService> {
  const endpoints = new Map<string, Endpoint>();
  const problems: string[] = [];
  const strays: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const endpoint = endpoints.get(request.url ?? '');
      if (!endpoint) {
        strays.push(request.url ?? '');
        response.writeHead(404).end();
        return;
      }
      endpoint.requests += 1;
      const answer = endpoint.answers.shift();
      if (answer && 'isSilent' in answer) return;
      if (answer) {
        response.writeHead(answer.status, answer.headers);
        if (answer.isEndless) writeForever(response);
        else response.end();
        return;
      }
      try {
        const { headers } = request;
        const body = Buffer.concat(chunks);
        assert.equal(request.method, 'POST');
        checkAuthorization(headers.authorization ?? '', getOrigin());
        checkHeaders(headers);
        const text = endpoint.decrypt(body);
        const payload = pushPayloadSchema.parse(JSON.parse(text));
        const size = { bytes: body.length, receivedAt: Date.now() };
        endpoint.received.push({ payload, text, headers, ...size });
        response.writeHead(201).end();
      } catch (error) {
        problems.push(String(error));
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const getOrigin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const getEndpoint = ({ subscription }: PushBrowser) =>
    endpoints.get(new URL(subscription.endpoint).pathname)!;

  return {
    host: getOrigin(),
    problems,
    strays,
    newBrowser() {
      const path = `/push/${randomUUID()}`;
      const ecdh = createECDH('prime256v1');
      const publicKey = ecdh.generateKeys();
      const auth = randomBytes(16);
      const pushes: ReceivedPush[] = [];
      const decrypt = (body: Buffer) => decryptBody(body, ecdh, publicKey, auth);
      endpoints.set(path, { received: pushes, answers: [], requests: 0, decrypt });
      const listPushes = (classId: string) =>
        pushes.filter(({ payload }) => payload.classId === classId);
      return {
        subscription: {
          endpoint: `${getOrigin()}${path}`,
          keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
        },
        received: pushes,
        listPushes: listPushes,
        async waitFor(classId, count = 1) {
          for (const startedAt = Date.now(); ; await sleep(10)) {
            const push = listPushes(classId)[count - 1];
            if (push) return push;
            if (Date.now() - startedAt > waitMs) throw new Error('No notification arrived.');
          }
        },
      };
    },
    answer(browser, answers) {
      getEndpoint(browser).answers.push(...answers);
    },
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    countRequests: (browser) => getEndpoint(browser).requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function writeForever(response: ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
  };
  response.on('drain', write);
  write();
}

/** The token must be signed with the key that the same header names, for this origin, for at most a day. */
function checkAuthorization(header: string, origin: string): void {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const decodeJson = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
  const point = Buffer.from(key, 'base64url');
  const x = point.subarray(1, 33);
  const y = point.subarray(33);
  const jwk = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') };
  const publicKey = createPublicKey({ format: 'jwk', key: jwk });
  const signedPart = Buffer.from(`${head}.${claims}`);
  const isValid = verify(
    'sha256',
    signedPart,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  assert(isValid);
  assert.deepEqual(decodeJson(head), { typ: 'JWT', alg: 'ES256' });
  const { aud, exp, sub } = decodeJson(claims) as { aud: string; exp: number; sub: string };
  assert.equal(aud, origin);
  assert.match(sub, /^(https?:|mailto:)/);
  const secondsLeft = exp - Date.now() / 1000;
  assert(secondsLeft > 0);
  assert(secondsLeft <= 24 * 60 * 60);
}

function checkHeaders(headers: IncomingHttpHeaders): void {
  assert.equal(headers['content-encoding'], 'aes128gcm');
  assert.match(headers['ttl'] as string, /^\d+$/);
  assert.match(headers['urgency'] as string, /^(very-low|low|normal|high)$/);
  assert.match(headers['topic'] as string, /^[\w-]{1,32}$/);
}

function decryptBody(
  body: Buffer,
  ecdh: ReturnType<typeof createECDH>,
  receiver: Buffer,
  auth: Buffer,
): string {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  assert(body.readUInt32BE(16) >= body.length - 21 - keyLength);
  const sender = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const deriveBytes = (secret: Buffer, mixed: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, mixed, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const shared = deriveBytes(ecdh.computeSecret(sender), auth, info, 32);
  const key = deriveBytes(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = deriveBytes(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // The delimiter of the last record, then zeros.
  const end = plain.findLastIndex((byte) => byte !== 0);
  assert.equal(plain[end], 2);
  return plain.subarray(0, end).toString();
}
