// The HTTP server of Node. It answers one request of a connection at a time.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { respondToMalformed } from './error-handler.ts';

export function createHttpServer(app: Hono): Server {
  const answer = getRequestListener(app.fetch, { errorHandler: respondToMalformed });
  const lastResponses = new WeakMap<Socket, ServerResponse>();
  // Node keeps the first of two Host headers and drops the rest. Joined headers match no allowed host. HTTP-37
  return createServer({ joinDuplicateHeaders: true }, (request, response) => {
    const { socket } = request;
    const last = lastResponses.get(socket);
    // Neither browsers nor proxies send a request before the last one is answered, and one packet holds a thousand. HTTP-54
    if (last && !last.writableFinished) socket.destroy();
    if (socket.destroyed) return;
    lastResponses.set(socket, response);
    void answer(request, response);
  });
}
