import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Finds an unused port of the loopback address. The port is below the ephemeral range, because an outgoing connection
 * could take an ephemeral port before the server does.
 */
export async function findFreePort(): Promise<number> {
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
