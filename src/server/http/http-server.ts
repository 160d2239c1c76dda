// The HTTP server of Node. It closes a connection that does not wait for its replies.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { respondToMalformed } from './error-handler.ts';

/** The browser has all bytes of a file before the server knows that it has sent the last one. */
const maxUnanswered = 2; // HTTP-54

export function createHttpServer(app: Hono): Server {
  const answer = getRequestListener(app.fetch, { errorHandler: respondToMalformed });
  const responsesBySocket = new WeakMap<Socket, ServerResponse[]>();
  // Node keeps the first of two Host headers and drops the rest. Joined headers match no allowed host. HTTP-7
  return createServer({ joinDuplicateHeaders: true }, (request, response) => {
    const { socket } = request;
    const responses = responsesBySocket.get(socket) ?? [];
    const unanswered = responses.filter((earlierResponse) => !earlierResponse.writableFinished);
    // Neither browsers nor proxies send a request before the reply to the last one, and one packet holds a thousand.
    if (unanswered.length === maxUnanswered) socket.destroy();
    if (socket.destroyed) return;
    responsesBySocket.set(socket, [...unanswered, response]);
    void answer(request, response);
  });
}

const closeTimeoutMs = 5_000;

/** Waits for requests and sockets in flight, then closes them. */
export async function closeHttpServer(server: Server, terminateSockets: () => void): Promise<void> {
  const timeout = setTimeout(() => {
    terminateSockets();
    server.closeAllConnections();
  }, closeTimeoutMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timeout);
}
