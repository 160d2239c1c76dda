// The chat of Socket.IO's tutorial, `peers/socketio-sqlite.mjs`.
import { join } from 'node:path';
import type {
  ChatClient,
  ChatSystem,
  ConnectOptions,
  Receiver,
  StartOptions,
} from '../chat-system.ts';
import { createText, visitMessageNumbers } from '../payload.ts';
import { startServer, type ServerProcess } from '../server-process.ts';
import { connectWebSocket } from '../websocket-client.ts';

/** Packets of Engine.IO and Socket.IO start with these digits. */
const packets = { open: '0', ping: '2', connect: '40', event: '42', ack: '43' };
const socketPath = '/socket.io/?EIO=4&transport=websocket';

export class SocketIoSqlite implements ChatSystem {
  #port = 0;

  async start({ dataDir, isMonitored = false }: StartOptions): Promise<ServerProcess> {
    const server = await startServer(
      (port) => ['bench/peers/socketio-sqlite.mjs', String(port), join(dataDir, 'chat.db')],
      { isMonitored },
    );
    this.#port = server.port;
    return server;
  }

  async connect(
    client: number,
    room: number,
    receiver: Receiver,
    { position, opened }: ConnectOptions = {},
  ): Promise<ChatClient> {
    const joining = Promise.withResolvers<void>();
    const connecting = connectWebSocket(
      this.#port,
      socketPath,
      {},
      {
        chunk: () => void (receiver.now = performance.now()),
        frame(bytes, start, end) {
          const packet = bytes.toString('latin1', start, Math.min(end, start + 2));
          if (packet === packets.event) {
            visitMessageNumbers(bytes, start, end, (number) => receiver.message(client, number));
          } else if (packet === packets.ack) {
            // The packet `43`, the id 0 and the empty reply `[]` acknowledge `join`. Posts have higher ids.
            if (bytes.toString('latin1', start, start + 4) === '430[') joining.resolve();
          } else if (packet === packets.connect) {
            reply(`420["join","r${room}",${position ?? 'null'}]`);
          } else if (packet.startsWith(packets.open)) reply(packets.connect);
          else if (packet.startsWith(packets.ping)) reply('3');
        },
        closed: () => receiver.closed(client),
      },
    );
    function reply(text: string): void {
      void connecting.then((socket) => socket.send(text));
    }
    const socket = await connecting;
    opened?.();
    await joining.promise;
    return {
      post: (number) =>
        socket.send(
          `42${number + 1}["chat message","${createText(number)}","c${client}-${number}"]`,
        ),
      close: () => socket.close(),
    };
  }

  async loadPosition(room: number): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/history?room=r${room}`);
    const rows = (await response.json()) as { id: number }[];
    return String(rows.at(-1)?.id ?? 0);
  }
}
