// The chat of Socket.IO's tutorial, `peers/socketio-sqlite.mjs`.
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { startServer, type ServerProcess } from '../../server-process.ts';
import type {
  ChatClient,
  ChatSystem,
  ConnectOptions,
  PageReader,
  Receiver,
  StartOptions,
} from '../chat-system.ts';
import { visitMessageNumbers, createText } from '../payload.ts';
import { toPeerPath, getPeerVersion } from '../peers.ts';
import { connectWebSocket } from '../websocket-client.ts';

/** Packets of Engine.IO and Socket.IO start with these digits. */
const packets = { open: '0', ping: '2', connect: '40', event: '42', ack: '43' };

export class SocketIoSqlite implements ChatSystem {
  readonly name = 'socketio-sqlite';
  readonly version = `Socket.IO ${getPeerVersion('socket.io')}, better-sqlite3 ${getPeerVersion('better-sqlite3')}, Node ${process.versions.node}`;
  readonly stores = 'messages in SQLite (WAL), synced before broadcast and ack';
  #port = 0;

  async start({ dataDir, nodeOptions, withChannel }: StartOptions): Promise<ServerProcess> {
    const file = toPeerPath('socketio-sqlite.mjs');
    const server = await startServer({
      command: (port) => [
        process.execPath,
        ...nodeOptions,
        file,
        String(port),
        join(dataDir, 'chat.db'),
      ],
      withChannel,
    });
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
    const path = '/socket.io/?EIO=4&transport=websocket';
    const connecting = connectWebSocket(
      this.#port,
      path,
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
    const rows = JSON.parse(String(await this.#fetchHistory(room))) as { id: number }[];
    return String(rows.at(-1)?.id ?? 0);
  }

  async openSnapshotReader(_client: number, room: number): Promise<PageReader> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return {
      read: async () => {
        const numbers: number[] = [];
        const body = await this.#fetchHistory(room, agent);
        visitMessageNumbers(body, 0, body.length, (number) => numbers.push(number));
        return numbers;
      },
      close: () => agent.destroy(),
    };
  }

  #fetchHistory(room: number, agent?: Agent): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const path = `/history?room=r${room}`;
      get({ port: this.#port, host: '127.0.0.1', path, ...(agent && { agent }) }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks)));
      }).once('error', reject);
    });
  }
}
