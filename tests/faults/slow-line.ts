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
  const nears = new Set<Socket>();
  let slow = false;
  const server = createServer((near) => {
    // Not read ahead: the backlog must build up at the server.
    const far = new Socket({ highWaterMark: 1 } as SocketConstructorOpts);
    far.connect(Number(port), hostname);
    nears.add(near);
    near.pipe(far);
    const pump = () => {
      if (slow) return;
      for (let bytes; (bytes = far.read() as Buffer | null);) near.write(bytes);
    };
    far.on('readable', pump);
    const perSecond = Math.min(bytesPerSecond, 10);
    const drip = setInterval(() => {
      const most = Math.min(far.readableLength, Math.round(bytesPerSecond / perSecond));
      const bytes = slow && most > 0 ? (far.read(most) as Buffer | null) : null;
      if (bytes) near.write(bytes);
      if (!slow) pump();
    }, 1000 / perSecond);
    far.on('end', () => near.end());
    far.on('close', () => {
      clearInterval(drip);
      near.destroySoon();
    });
    near.on('close', () => {
      nears.delete(near);
      far.destroy();
    });
    for (const side of [near, far]) side.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${own}${socketPath}`,
    throttle: () => (slow = true),
    release: () => (slow = false),
    end() {
      server.close();
      for (const near of nears) near.destroy();
    },
  };
}
