// Servers that send each text frame of a client to the whole room: the minimum cost on Node and on Bun.
import { startServer } from '../../server-process.ts';
import type { ChatSystem } from '../chat-system.ts';
import { visitMessageNumbers, createText } from '../payload.ts';
import { toBunPath, toPeerPath, getPeerVersion } from '../peers.ts';
import { connectWebSocket } from '../websocket-client.ts';

export function createWsBare(): ChatSystem {
  const version = `ws ${getPeerVersion('ws')}, Node ${process.versions.node}`;
  return createPlainWebSocket('ws-bare', version, process.execPath);
}

export function createBunBare(): ChatSystem {
  return createPlainWebSocket('bun-bare', `Bun ${getPeerVersion('bun')}`, toBunPath());
}

function createPlainWebSocket(name: string, version: string, executable: string): ChatSystem {
  let port = 0;
  return {
    name,
    version,
    stores: 'nothing',

    async start() {
      const server = await startServer({
        command: (freePort) => [executable, toPeerPath(`${name}.mjs`), String(freePort)],
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
            visitMessageNumbers(bytes, start, end, (number) => receiver.message(client, number)),
          closed: () => receiver.closed(client),
        },
      );
      return { post: (number) => socket.send(createText(number)), close: () => socket.close() };
    },
  };
}
