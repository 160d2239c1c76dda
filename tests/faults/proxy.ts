// A proxy between clients and server that works frame by frame. It simulates bad connections, and planted
// faults that no real connection causes.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { socketPath, subprotocol } from '#contract/socket-address.ts';

export interface Proxy {
  url: string;
  end(): void;
}

export interface Tampering {
  /** The delay of a frame in milliseconds. The order stays. */
  delayMs?(): number;
  /** Ends both sides instead of delivering this frame. */
  cuts?(): boolean;
  /** What arrives instead of a frame from the server. One connection's frames share `state`. */
  deliver?(frame: string, state: { held: string[] }): string[];
}

export async function startProxy(origin: string, tampering: Tampering): Promise<Proxy> {
  const sockets = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    handleProtocols: () => subprotocol,
  });
  await once(sockets, 'listening');
  sockets.on('connection', (clientSocket, request) => {
    const headers = { cookie: request.headers.cookie ?? '' };
    const url = `${origin.replace('http', 'ws')}${socketPath}`;
    const far = new WebSocket(url, subprotocol, { origin, headers });
    const state = { held: [] };
    const deliver = tampering.deliver ?? ((frame) => [frame]);
    const opening = once(far, 'open');
    opening.catch(() => {});
    const upward = createLine(tampering, (frame) => {
      void opening.then(() => far.send(frame)).catch(() => {});
    });
    const downward = createLine(tampering, (frame) => {
      for (const deliveredFrame of deliver(frame, state)) clientSocket.send(deliveredFrame);
    });
    const cut = () => {
      clientSocket.terminate();
      far.terminate();
    };
    clientSocket.on('message', (data) => void (upward(String(data)) || cut()));
    far.on('message', (data) => void (downward(String(data)) || cut()));
    for (const side of [clientSocket, far]) {
      side.on('error', cut);
      side.on('close', cut);
    }
  });
  const address = sockets.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `ws://127.0.0.1:${port}${socketPath}`,
    end() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

/** One direction, in order. False: the connection ends here. */
function createLine({ delayMs, cuts }: Tampering, deliver: (frame: string) => void) {
  let arrived = Promise.resolve();
  return (frame: string): boolean => {
    if (cuts?.()) return false;
    if (!delayMs) deliver(frame);
    else {
      const due = performance.now() + delayMs();
      arrived = arrived.then(async () => {
        await sleep(Math.max(0, due - performance.now()));
        deliver(frame);
      });
    }
    return true;
  };
}
