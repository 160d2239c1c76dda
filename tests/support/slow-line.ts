// A connection that can be throttled to a few bytes per second from the server.
import { once } from 'node:events';
import { createServer, Socket, type SocketConstructorOpts } from 'node:net';
import { socketPath } from '#contract/socket-address.ts';

export interface SlowLine {
  url: string;
  throttle(): void;
  /** Ends the throttling. */
  release(): void;
  end(): void;
}

export async function startSlowLine(origin: string, bytesPerSecond = 1): Promise<SlowLine> {
  const { hostname, port } = new URL(origin);
  const clientSockets = new Set<Socket>();
  let isThrottled = false;
  const server = createServer((client) => {
    // The proxy reads nothing ahead, so that the backlog builds up at the server.
    const upstream = new Socket({ highWaterMark: 1 } as SocketConstructorOpts);
    upstream.connect(Number(port), hostname);
    clientSockets.add(client);
    client.pipe(upstream);
    const pump = () => {
      if (isThrottled) return;
      for (let bytes; (bytes = upstream.read() as Buffer | null);) client.write(bytes);
    };
    upstream.on('readable', pump);
    const dripsPerSecond = Math.min(bytesPerSecond, 10);
    const drip = setInterval(() => {
      const bytesNow = Math.min(
        upstream.readableLength,
        Math.round(bytesPerSecond / dripsPerSecond),
      );
      const bytes = isThrottled && bytesNow > 0 ? (upstream.read(bytesNow) as Buffer | null) : null;
      if (bytes) client.write(bytes);
      if (!isThrottled) pump();
    }, 1000 / dripsPerSecond);
    upstream.on('end', () => client.end());
    upstream.on('close', () => {
      clearInterval(drip);
      client.destroySoon();
    });
    client.on('close', () => {
      clientSockets.delete(client);
      upstream.destroy();
    });
    for (const side of [client, upstream]) side.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const listenPort = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${listenPort}${socketPath}`,
    throttle: () => (isThrottled = true),
    release: () => (isThrottled = false),
    end() {
      server.close();
      for (const client of clientSockets) client.destroy();
    },
  };
}
