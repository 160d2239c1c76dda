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
  let slow = false;
  const server = createServer((client) => {
    // Not read ahead: the backlog must build up at the server.
    const upstream = new Socket({ highWaterMark: 1 } as SocketConstructorOpts);
    upstream.connect(Number(port), hostname);
    clientSockets.add(client);
    client.pipe(upstream);
    const pump = () => {
      if (slow) return;
      for (let bytes; (bytes = upstream.read() as Buffer | null);) client.write(bytes);
    };
    upstream.on('readable', pump);
    const perSecond = Math.min(bytesPerSecond, 10);
    const drip = setInterval(() => {
      const bytesNow = Math.min(upstream.readableLength, Math.round(bytesPerSecond / perSecond));
      const bytes = slow && bytesNow > 0 ? (upstream.read(bytesNow) as Buffer | null) : null;
      if (bytes) client.write(bytes);
      if (!slow) pump();
    }, 1000 / perSecond);
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
    throttle: () => (slow = true),
    release: () => (slow = false),
    end() {
      server.close();
      for (const client of clientSockets) client.destroy();
    },
  };
}
