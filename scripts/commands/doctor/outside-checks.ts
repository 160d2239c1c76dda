// The checks of `npm run doctor` that reach the server as a browser does: at PUBLIC_URL, through the reverse proxy.
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, getCACertificates, TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import { toRouteUrl } from '#contract/routes.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { Config } from '#server/config/config-types.ts';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { version } from '#server/base/version.ts';
import { type Findings, createSuccess, createProblem, createWarning } from './finding.ts';
import { diagnoseClock } from './machine-checks.ts';

const timeoutMs = 10_000;
/** A proxy with a smaller limit rejects an upload immediately, because Content-Length says its size. */
const rejectionMs = 3000;
const maxFileBytes = Math.max(limits.imageBytes, limits.pdfBytes);
/** The headers that must arrive only once, because browsers combine or ignore repeated ones. */
const headersOnce = [
  'content-security-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
];

/** Checks the server as visitors reach it. If the server does not answer at PUBLIC_URL, no other check runs. */
export async function checkOutside({ publicUrl }: Config): Promise<Findings> {
  const health = await ask(publicUrl, '/healthz');
  const certificateFindings = diagnoseCertificate(health);
  const body = (await text(health)).trim();
  if (health.statusCode !== 200 || !/^ok \d/.test(body)) {
    return createProblem(
      `${publicUrl.origin} answers, but it is not this app: does the proxy forward to its port?`,
    );
  }
  const findings = [
    body === `ok ${version}`
      ? []
      : createWarning(
          `The running server is ${body.slice(3)}, and this is ${version}: restart it.`,
        ),
    diagnoseClock(publicUrl.origin, new Date(health.headers.date ?? Date.now())),
    certificateFindings,
    await checkHost(publicUrl),
    await checkSockets(publicUrl),
    await checkUploads(publicUrl),
    await checkCaddy(health),
  ].flat();
  return findings.length > 0
    ? findings
    : createSuccess(
        `${publicUrl.origin} serves pages and live connections, and sets no smaller limit for uploads.`,
      );
}

/** Let's Encrypt's clients renew a certificate 30 days before its end. */
const minCertificateDays = 14;

function diagnoseCertificate({ socket }: IncomingMessage): Findings {
  if (!(socket instanceof TLSSocket)) return [];
  const { valid_to: end } = socket.getPeerCertificate();
  const days = Math.floor((Date.parse(end) - Date.now()) / 86_400_000);
  if (days >= minCertificateDays) return [];
  const time = days === 1 ? '1 day' : `${days} days`;
  return createWarning(
    `The certificate ends in ${time}, and should have been renewed: see the log of what renews it (of certbot or Caddy).`,
  );
}

/**
 * Caddy applies a limit for bodies only while it reads one, so `checkUploads` does not see it. Its own interface tells the limit,
 * if it runs on this machine.
 */
async function checkCaddy({ headers }: IncomingMessage): Promise<Findings> {
  if (!/caddy/i.test([headers.via, headers.server].join(' '))) return [];
  const caddy = process.env['CADDY_ADMIN'] ?? 'localhost:2019';
  const configuration = await fetch(`http://${caddy}/config/`, {
    signal: AbortSignal.timeout(timeoutMs),
  })
    .then((answer) => answer.text())
    .catch(() => '');
  const sizes = [...configuration.matchAll(/"max_size":(\d+)/g)].map(([, size]) => Number(size));
  const smallest = Math.min(...sizes);
  if (smallest >= maxFileBytes) return [];
  return createProblem(
    `Caddy rejects files of more than ${smallest} bytes: set request_body max_size to 11MB in the Caddyfile.`,
  );
}

const unknownAuthorityText =
  'its certificate is from an authority that Node.js does not know, such as that of the university. If browsers know the authority, set NODE_EXTRA_CA_CERTS to the file with its certificate';

async function checkHost(publicUrl: URL): Promise<Findings> {
  const page = await ask(publicUrl, '/signin');
  page.resume();
  if (page.statusCode === 421) {
    return createProblem(
      'The proxy sends another host name to the server: make it forward the Host header (nginx: proxy_set_header Host $http_host;).',
    );
  }
  const names = page.rawHeaders.filter((_, index) => index % 2 === 0);
  const isRepeated = (name: string) =>
    names.filter((otherName) => otherName.toLowerCase() === name).length > 1;
  return headersOnce
    .filter(isRepeated)
    .map((name) =>
      createProblem(
        `The header ${name} arrives twice: remove it from the proxy's own configuration.`,
      ),
    );
}

/** Expects status 401, which shows that the request reached the server: it rejects a connection without a session. */
async function checkSockets(publicUrl: URL): Promise<Findings> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: publicUrl.origin,
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-version': '13',
    'sec-websocket-protocol': subprotocol,
  };
  const answer = await ask(publicUrl, socketPath, { headers });
  answer.resume();
  if (answer.statusCode === 401) return [];
  return createProblem(
    `Live connections do not reach the server (${answer.statusCode}): make the proxy forward the Upgrade and Connection headers.`,
  );
}

/** Announces the largest allowed file in Content-Length, and sends no body: a proxy with a smaller limit rejects the request. */
async function checkUploads(publicUrl: URL): Promise<Findings> {
  const path = toRouteUrl('uploadImage', { params: { classId: 'doctor' } });
  const headers = {
    'content-length': String(maxFileBytes),
    'content-type': 'application/octet-stream',
    origin: publicUrl.origin,
  };
  const request = startRequest(publicUrl, path, { method: 'POST', headers });
  request.flushHeaders();
  // A proxy that buffers the body answers only after the whole body has arrived.
  const answer = await Promise.race([waitForReply(request, publicUrl), sleep(rejectionMs, null)]);
  request.destroy();
  if (answer === null || answer.statusCode === 401) return [];
  if (answer.statusCode !== 413) {
    return createProblem(`Uploads do not reach the server (${answer.statusCode}).`);
  }
  const megabytes = maxFileBytes / 1024 / 1024;
  return createProblem(
    `The proxy rejects pictures of ${megabytes} MB: raise its limit (nginx: client_max_body_size ${megabytes + 1}m;).`,
  );
}

function ask(base: URL, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const request = startRequest(base, path, options);
  request.end();
  return waitForReply(request, base);
}

function startRequest(base: URL, path: string, options: RequestOptions): ClientRequest {
  const start = base.protocol === 'https:' ? requestHttps : requestHttp;
  return start(new URL(path, base), { ...options, agent: false, timeout: timeoutMs });
}

async function waitForReply(request: ClientRequest, base: URL): Promise<IncomingMessage> {
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer);
    });
    request.on('timeout', () => request.destroy(new Error('it does not answer')));
    request.on('error', reject);
  });
  return reply.catch(async (error: Error) => {
    throw new Error(await explainUnreachable(base, error));
  });
}

/** If Node.js finds no issuer of the certificate, either the server leaves one out, or no one knows the authority. */
async function explainUnreachable(base: URL, error: Error): Promise<string> {
  const code = getErrorCode(error);
  const isIncomplete =
    code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' &&
    (await isChainIncomplete(base).catch(() => false));
  return toUnreachableMessage(base, error, isIncomplete);
}

/** Gets the issuer where the certificate says, and looks whether an authority that Node.js knows has signed it. */
async function isChainIncomplete({ hostname, port }: URL): Promise<boolean> {
  const socket = connect({
    host: hostname,
    port: Number(port) || 443,
    servername: hostname,
    rejectUnauthorized: false,
  });
  const signal = AbortSignal.timeout(timeoutMs);
  await once(socket, 'secureConnect', { signal });
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  const [, address] = /^CA Issuers - URI:(http:\S+)$/m.exec(certificate?.infoAccess ?? '') ?? [];
  if (!certificate || address === undefined) return false;
  const answer = await fetch(address, { signal });
  const issuer = new X509Certificate(Buffer.from(await answer.arrayBuffer()));
  return (
    certificate.checkIssued(issuer) &&
    getCACertificates('default').some((authority) =>
      issuer.checkIssued(new X509Certificate(authority)),
    )
  );
}

function toUnreachableMessage(base: URL, error: Error, isIncomplete: boolean): string {
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there. Start the server, and the proxy in front of it',
    ENOTFOUND: 'its name is not known. Add it to the DNS',
    EAI_AGAIN: 'its name cannot be looked up',
    CERT_HAS_EXPIRED: 'its certificate has expired. Renew it',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'browsers do not trust its certificate',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: isIncomplete
      ? 'its certificate chain is incomplete. Make the proxy send the certificates of the authorities, too (fullchain.pem)'
      : unknownAuthorityText,
    SELF_SIGNED_CERT_IN_CHAIN: unknownAuthorityText,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthorityText,
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  };
  const reason = reasons[getErrorCode(error)] ?? error.message;
  return `${base.origin} cannot be reached: ${reason}.`;
}
