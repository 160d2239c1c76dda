// A server that sends each text frame of a client to the whole room, `peers/ws-bare.mjs`: the minimum cost on Node.js.
import type { ChatSystem } from '../chat-system.ts';
import { createText, visitMessageNumbers } from '../payload.ts';
import { startServer } from '../server-process.ts';
import { connectWebSocket } from '../websocket-client.ts';

export function createWsBare(): ChatSystem {
  let port = 0;
  return {
    async start() {
      const server = await startServer((freePort) => ['bench/peers/ws-bare.mjs', String(freePort)]);
      ({ port } = server);
      return server;
    },

    async connect(client, room, receiver) {
      const socket = await connectWebSocket(
        port,
        `/?room=r${room}`,
        {},
        {
          chunk: () => void (receiver.now = performance.now()),
          frame: (bytes, start, end) =>
            visitMessageNumbers(bytes, start, end, (number) => receiver.message(client, number)),
          closed: () => receiver.closed(client),
        },
      );
      return { post: (number) => socket.send(createText(number)), close: () => socket.close() };
    },
  };
}
