import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createHttpServer } from './http-server.ts';
import { closeLate, closeUntaken } from './request-guards.ts';

test('the connection of an answer that no one takes is closed, and the source of the answer is told [HTTP-54]', async () => {
  const app = new Hono();
  closeUntaken(app, 100);
  const canceled = Promise.withResolvers<void>();
  app.get('/endless', () => {
    const part = new Uint8Array(1 << 20);
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(part),
      cancel: () => canceled.resolve(),
    });
    return new Response(body);
  });
  const server = createHttpServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // The reset of the connection reaches the client once it reads again.
  socket.on('error', () => {});

  socket.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(server, 'request');
  socket.pause();

  await canceled.promise;
  server.getConnections((_, count) => expect(count).toBe(0));
  socket.destroy();
  server.close();
  await once(server, 'close');
});

test('the connection of a request whose body does not arrive is closed [HTTP-54]', async () => {
  const server = createServer((request, response) => {
    closeLate(request, 100);
    request.resume().once('end', () => response.end('done'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n';
  const lateSocket = connect(port, '127.0.0.1');
  const completeSocket = connect(port, '127.0.0.1');

  lateSocket.write(`${head}12345`);
  completeSocket.write(`${head}1234567890`);

  await once(lateSocket, 'close');
  const [answer] = (await once(completeSocket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('done');
  completeSocket.destroy();
  server.close();
  await once(server, 'close');
});
