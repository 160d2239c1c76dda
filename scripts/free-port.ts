import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port of the loopback address that nobody uses now. It lies below those that the system gives to
 * outgoing connections: one of these could take it before a server does.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
