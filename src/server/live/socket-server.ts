// Handles /live: authorizes new sockets, detects dead ones, and rejects requests that are no upgrade.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import { WebSocketServer, type WebSocket } from 'ws';
import { AppError, errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { Accounts } from '#server/accounts/accounts.ts';
import type { Origins } from '#server/http/origins.ts';
import type { Log } from '#server/base/log.ts';
import { retryAfterSeconds } from '#server/base/retry-time.ts';
import { toAppError } from '#server/store/storage-errors.ts';
import { SocketConnection } from './connection.ts';
import type { LiveServer } from './live-server.ts';
import { LivenessMonitor } from './liveness-monitor.ts';

const pingIntervalMs = 25_000; // WIRE-7
const maxMissedPings = 2; // WIRE-7
const maxSocketsPerAccount = 100; // LIMIT-27
/** The Retry-After time of a rejected upgrade. */
const retryAfterMs = 10_000;

export interface SocketServer {
  /** Rejects new sockets and stops the pings. */
  stop(): void;
  /** Terminates the remaining sockets. */
  terminate(): void;
}

export function attachSocketServer(
  server: Server,
  live: LiveServer,
  accounts: Pick<Accounts, 'authenticate'>,
  origins: Origins,
): SocketServer {
  const { hub, limiter, log } = live;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    // Only whole frames count against the limit, but an empty fragment costs the server as much as a frame.
    maxFragments: 64, // LIMIT-25
    handleProtocols: (protocols) => protocols.has(subprotocol) && subprotocol,
    perMessageDeflate: false,
  });
  const livenessMonitors = new WeakMap<WebSocket, LivenessMonitor>();
  let isStopped = false;

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const { origin, cookie = null, 'sec-fetch-site': fetchSite } = request.headers;
    if (!origins.isAllowedHost(request)) return reject(stream, 421);
    if (request.url?.split('?')[0] !== socketPath) return reject(stream, 404);
    if (isStopped) return reject(stream, 503);
    // Browsers always send their origin. Other programs must not use a browser's cookie.
    if (!origins.isAllowedOrigin(origin, fetchSite?.toString())) {
      return reject(stream, 403);
    }
    const closings = hub.countClosings();
    const account = await accounts.authenticate(cookie);
    if (!account) return reject(stream, 401);
    // If the server stopped in the meantime, nothing would close this socket.
    if (isStopped) return reject(stream, 503);
    if (
      hub.countConnections(account.id) >= maxSocketsPerAccount ||
      !limiter.tryTake('sockets', account.id)
    ) {
      return reject(stream, 429);
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      livenessMonitors.set(socket, new LivenessMonitor(stream));
      // The socket's event listeners keep the connection alive.
      const connection = new SocketConnection(socket, stream, account, live);
      if (hub.countClosings() === closings) return;
      // This session may have ended before its socket could be closed.
      accounts.authenticate(cookie).then(
        (current) => !current && connection.signOut(),
        () => connection.shutDown(),
      );
    });
  }

  server.on('upgrade', (request, stream, head) => {
    stream.on('error', () => stream.destroy());
    upgrade(request, stream, head).catch((error: unknown) => {
      log.error('socket.failed', { error });
      reject(stream, errors[toAppError(error).code].status);
    });
  });

  const pings = setInterval(() => {
    for (const socket of sockets.clients) {
      if ((livenessMonitors.get(socket)?.countMisses() ?? 0) >= maxMissedPings) socket.terminate();
      else socket.ping();
    }
  }, pingIntervalMs);

  const expiry = setInterval(() => hub.closeExpired(Date.now()), 1000);

  return {
    stop() {
      isStopped = true;
      clearInterval(pings);
      clearInterval(expiry);
    },
    terminate() {
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

const reasons: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function reject(stream: Duplex, status: number): void {
  const isRetryable = status === 429 || status === 503;
  const retryAfter = isRetryable ? `Retry-After: ${retryAfterSeconds(retryAfterMs)}\r\n` : '';
  // The stream is destroyed after the response, because a peer could keep its side open forever.
  stream.end(
    `HTTP/1.1 ${status} ${reasons[status]}\r\n${retryAfter}Cache-Control: no-store\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => stream.destroy(),
  );
}

const hint =
  'A reverse proxy does not forward WebSocket upgrades, so no live updates reach the browsers. Make it forward the Upgrade and Connection headers (nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";).';

/**
 * Rejects requests to /live that are no upgrade (HTTP-46). Node passes real upgrades to the socket server, so they never reach
 * this route.
 */
export function rejectMissingUpgrade(app: Hono, log: Log): void {
  let isLogged = false;
  app.get(socketPath, (context) => {
    // A proxy that removes the hop-by-hop headers still forwards this header, so the browser did ask for an upgrade.
    if (context.req.header('sec-websocket-key') !== undefined && !isLogged) {
      isLogged = true;
      log.warn('proxy.no-upgrade', { hint });
    }
    context.header('upgrade', 'websocket');
    throw new AppError('UPGRADE_REQUIRED');
  });
}
