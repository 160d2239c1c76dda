// A reverse proxy between browser and server, which can slow down its line to the browser.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface ReverseProxy {
  readonly origin: string;
  /** The limit of all connections together. null means no limit. */
  setSpeed(bytesPerSecond: number | null): void;
  /** Answers requests for files with this in their names with an error. null: for none. */
  setBroken(name: string | null): void;
  /** The files of the app that scripts have fetched, as the service worker does: pages load them otherwise. */
  readonly fetched: readonly string[];
  /** The most such fetches at the same time. */
  concurrentFetches(): number;
  end(): Promise<void>;
}

export async function startReverseProxy(target: string): Promise<ReverseProxy> {
  const { hostname, port, host } = new URL(target);
  const sockets = new Set<Socket>();
  let speed: number | null = null;
  let line = Promise.resolve();
  let brokenPath: string | null = null;
  const fetched: string[] = [];
  let fetches = 0;
  let mostFetches = 0;

  /** The connections share the line, so it sends one chunk at a time. */
  async function* slowDown(from: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of from) {
      for (let offset = 0; offset < chunk.length; offset += 700) {
        const piece = chunk.subarray(offset, offset + 700);
        const previousWrite = line;
        line = previousWrite.then(async () => {
          if (speed !== null) await sleep((piece.length / speed) * 1000);
        });
        await line;
        yield piece;
      }
    }
  }

  function ask({ method, url, headers }: IncomingMessage, extraHeaders: Record<string, string>) {
    const { upgrade: _, connection: __, ...otherHeaders } = headers;
    const origin = headers.origin === undefined ? {} : { origin: target };
    const requestHeaders = { ...otherHeaders, ...extraHeaders, ...origin, host };
    return request({ hostname, port, method, path: url, headers: requestHeaders });
  }

  function countFetch({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    if (!url.startsWith('/assets/') || headers['sec-fetch-dest'] !== 'empty') return;
    fetched.push(url);
    fetches += 1;
    mostFetches = Math.max(mostFetches, fetches);
    response.on('close', () => (fetches -= 1));
  }

  const server = createServer((incoming, response) => {
    countFetch(incoming, response);
    if (brokenPath !== null && incoming.url?.includes(brokenPath)) {
      response.writeHead(503).end();
      return;
    }
    const upstreamRequest = ask(incoming, {});
    incoming.pipe(upstreamRequest);
    upstreamRequest.on('error', () => response.destroy());
    upstreamRequest.on('response', (answer) => void answerWith(answer));
    async function answerWith(answer: IncomingMessage) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      try {
        for await (const piece of slowDown(answer)) response.write(piece);
        response.end();
      } catch {
        response.destroy();
      }
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (incoming, client: Socket) => {
    const upstreamRequest = ask(incoming, { upgrade: 'websocket', connection: 'upgrade' });
    upstreamRequest.on('error', () => client.destroy());
    upstreamRequest.on('response', () => client.destroy());
    upstreamRequest.on('upgrade', ({ rawHeaders }, upstream, head) => {
      const lines = rawHeaders.flatMap((name, i) =>
        i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : [],
      );
      client.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'));
      // The server's first frame may have arrived together with its answer.
      upstream.unshift(head);
      client.pipe(upstream);
      upstream.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
      void (async () => {
        for await (const piece of slowDown(upstream)) client.write(piece);
        client.end();
      })().catch(() => client.destroy());
    });
    upstreamRequest.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    setSpeed: (bytesPerSecond) => void (speed = bytesPerSecond),
    setBroken: (name) => void (brokenPath = name),
    fetched,
    concurrentFetches: () => mostFetches,
    async end() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
