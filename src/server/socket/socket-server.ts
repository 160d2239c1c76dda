// Handles upgrades of /live: authorizes new sockets and detects dead ones.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Origins } from '../http/origins.ts';
import { retryAfterSeconds } from '../retry-time.ts';
import { toAppError } from '../storage/storage-errors.ts';
import { SocketConnection, type ConnectionParts } from './connection.ts';
import { LivenessMonitor } from './signs-of-life.ts';

const pingEveryMs = 25_000; // WIRE-7
const maxMissedPings = 2; // WIRE-7
const maxSocketsPerAccount = 100; // LIMIT-27
/** The Retry-After time of a refused upgrade. */
const comeBackAfterMs = 10_000;

export interface SocketServer {
  /** Refuses new sockets and stops the pings. */
  stop(): void;
  /** Terminates the remaining sockets. */
  terminate(): void;
}

export function attachSocketServer(
  server: Server,
  parts: ConnectionParts & { accounts: Accounts; origins: Origins },
): SocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    // A fragment may be empty, and costs as much as a frame that counts.
    maxFragments: 64, // LIMIT-25
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    perMessageDeflate: false,
  });
  const signsOfLife = new WeakMap<WebSocket, LivenessMonitor>();
  let stopped = false;

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const headers = new Headers();
    for (const name of ['origin', 'sec-fetch-site', 'cookie'] as const) {
      const value = request.headers[name];
      if (value) headers.set(name, value);
    }
    if (!parts.origins.isKnownTarget(request)) return refuse(stream, 421);
    if (request.url?.split('?')[0] !== socketPath) return refuse(stream, 404);
    if (stopped) return refuse(stream, 503);
    // Browsers always send their origin. Other programs must not use a browser's cookie.
    const fetchSite = headers.get('sec-fetch-site');
    if (!parts.origins.isOurPage(headers.get('origin'), fetchSite)) return refuse(stream, 403);
    const account = await parts.accounts.accountOf(headers);
    if (!account) return refuse(stream, 401);
    // If the server has stopped in the meantime, nothing would close this socket.
    if (stopped) return refuse(stream, 503);
    if (
      parts.hub.countOf(account.id) >= maxSocketsPerAccount ||
      !parts.limiter.tryTake('sockets', account.id)
    ) {
      return refuse(stream, 429);
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      signsOfLife.set(socket, new LivenessMonitor(stream));
      // The socket's event listeners keep the connection alive.
      const connection = new SocketConnection(socket, stream, account, parts);
      // If the session ended during the upgrade, there was no socket to close yet.
      parts.accounts.accountOf(headers).then(
        (still) => !still && connection.signOut(),
        () => connection.shutDown(),
      );
    });
  }

  server.on('upgrade', (request, stream, head) => {
    stream.on('error', () => stream.destroy());
    upgrade(request, stream, head).catch((error: unknown) => {
      parts.log.error('socket.failed', { error });
      refuse(stream, errors[toAppError(error).code].status);
    });
  });

  const pings = setInterval(() => {
    for (const socket of sockets.clients) {
      if ((signsOfLife.get(socket)?.countMisses() ?? 0) >= maxMissedPings) socket.terminate();
      else socket.ping();
    }
  }, pingEveryMs);

  const expiry = setInterval(() => parts.hub.endExpired(Date.now()), 1000);

  return {
    stop() {
      stopped = true;
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

function refuse(stream: Duplex, status: number): void {
  const mayRetry = status === 429 || status === 503;
  const later = mayRetry ? `Retry-After: ${retryAfterSeconds(comeBackAfterMs)}\r\n` : '';
  // The stream is destroyed after the response, because a peer could keep its half open forever.
  stream.end(
    `HTTP/1.1 ${status} ${reasons[status]}\r\n${later}Cache-Control: no-store\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => stream.destroy(),
  );
}
