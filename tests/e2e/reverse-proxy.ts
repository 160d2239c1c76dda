// A reverse proxy between browser and server. It can remove upgrades, as many proxies do by default, never
// answer them, or slow down its line to the browser.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Upgrades = 'forwarded' | 'removed' | 'unanswered';

export interface ReverseProxy {
  readonly origin: string;
  /** Applies to new connections. */
  setUpgrades(upgrades: Upgrades): void;
  /** The limit of all connections together. null means no limit. */
  setSpeed(bytesPerSecond: number | null): void;
  end(): Promise<void>;
}

export async function startReverseProxy(
  target: string,
  first: Upgrades = 'forwarded',
): Promise<ReverseProxy> {
  const { hostname, port, host } = new URL(target);
  const sockets = new Set<Socket>();
  let upgrades = first;
  let speed: number | null = null;
  let line = Promise.resolve();

  /** The connections share the line, so it sends one chunk at a time. */
  async function* slowed(from: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of from) {
      for (let at = 0; at < chunk.length; at += 700) {
        const piece = chunk.subarray(at, at + 700);
        const before = line;
        line = before.then(async () => {
          if (speed !== null) await sleep((piece.length / speed) * 1000);
        });
        await line;
        yield piece;
      }
    }
  }

  function ask({ method, url, headers }: IncomingMessage, own: Record<string, string>) {
    const { upgrade: _, connection: __, ...kept } = headers;
    const origin = headers.origin === undefined ? {} : { origin: target };
    const changed = { ...kept, ...own, ...origin, host };
    return request({ hostname, port, method, path: url, headers: changed });
  }

  const server = createServer((incoming, response) => {
    const asked = ask(incoming, {});
    incoming.pipe(asked);
    asked.on('error', () => response.destroy());
    asked.on('response', (answer) => void answerWith(answer));
    async function answerWith(answer: IncomingMessage) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      try {
        for await (const piece of slowed(answer)) response.write(piece);
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
  server.on('upgrade', (incoming, near: Socket) => {
    if (upgrades === 'unanswered') return;
    const forwarded = { upgrade: 'websocket', connection: 'upgrade' };
    const asked = ask(incoming, upgrades === 'forwarded' ? forwarded : {});
    asked.on('error', () => near.destroy());
    asked.on('response', ({ statusCode, statusMessage }) =>
      near.end(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nConnection: close\r\n\r\n`),
    );
    asked.on('upgrade', ({ rawHeaders }, far) => {
      const lines = rawHeaders.flatMap((name, i) =>
        i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : [],
      );
      near.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'));
      near.pipe(far);
      far.on('error', () => near.destroy());
      near.on('close', () => far.destroy());
      void (async () => {
        for await (const piece of slowed(far)) near.write(piece);
        near.end();
      })().catch(() => near.destroy());
    });
    asked.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    setUpgrades: (next) => void (upgrades = next),
    setSpeed: (bytesPerSecond) => void (speed = bytesPerSecond),
    async end() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
