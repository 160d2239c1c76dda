// Servers that send each text frame of a client to the whole room: the minimum cost on Node and on Bun.
import { startServer } from '../../server-process.ts';
import type { ChatSystem } from '../chat-system.ts';
import { eachNumber, textOf } from '../payload.ts';
import { bunExecutable, peerFile, peerVersion } from '../peers.ts';
import { connectWebSocket } from '../websocket-client.ts';

export function createWsBare(): ChatSystem {
  const version = `ws ${peerVersion('ws')}, Node ${process.versions.node}`;
  return createPlainWebSocket('ws-bare', version, process.execPath);
}

export function createBunBare(): ChatSystem {
  return createPlainWebSocket('bun-bare', `Bun ${peerVersion('bun')}`, bunExecutable());
}

function createPlainWebSocket(name: string, version: string, executable: string): ChatSystem {
  let port = 0;
  return {
    name,
    version,
    stores: 'nothing',

    async start() {
      const server = await startServer({
        command: (free) => [executable, peerFile(`${name}.mjs`), String(free)],
      });
      port = server.port;
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
            eachNumber(bytes, start, end, (number) => receiver.message(client, number)),
          closed: () => receiver.closed(client),
        },
      );
      return { post: (number) => socket.send(textOf(number)), close: () => socket.close() };
    },
  };
}
