// Backchannel under test, with the same socket as the browser's.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { serverFrame, type ServerFrame } from '#contract/socket.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import type {
  ChatClient,
  ChatSystem,
  ConnectOptions,
  Receiver,
  StartOptions,
} from '../chat-system.ts';
import { createText, visitMessageNumbers } from '../payload.ts';
import { createSchool, type School } from '../school.ts';
import { startBackchannel, type ServerProcess } from '../server-process.ts';
import {
  connectWebSocket,
  type WebSocketClient,
  type WebSocketHandlers,
} from '../websocket-client.ts';
import { startEngines, type Engines } from './engines.ts';

export class Backchannel implements ChatSystem {
  readonly #nodeCount: number | null;
  #engines: Engines | null = null;
  #servers: ServerProcess[] = [];
  #rooms = 1;
  // Set by `start`.
  school!: School;

  /** @param nodeCount null: one server on SQLite; 0: one server on PostgreSQL; otherwise also with Redis */
  constructor(nodeCount: number | null = null) {
    this.#nodeCount = nodeCount;
  }

  async start(options: StartOptions): Promise<ServerProcess> {
    const { dataDir, clients, rooms, isMember, storedMessages = 0, isLimited = false } = options;
    const engines = this.#nodeCount === null ? null : await startEngines(this.#nodeCount > 0);
    this.#engines = engines;
    this.#rooms = rooms;
    this.school = await createSchool(dataDir, clients, rooms, {
      ...(isMember && { isMember }),
      messagesPerClass: storedMessages,
      ...(engines && { settings: engines.settings }),
    });
    const servers: ServerProcess[] = [];
    this.#servers = servers;
    while (servers.length < (this.#nodeCount || 1)) {
      const nodeDir = engines ? join(dataDir, `node-${servers.length}`) : dataDir;
      const settings = { ...(!isLimited && unlimitedRates), ...engines?.settings };
      servers.push(await startBackchannel({ ...settings, DATA_DIR: nodeDir }, options));
    }
    return {
      ...servers[0]!,
      pids: servers.flatMap(({ pids }) => pids),
      async stop() {
        await Promise.all(servers.map((server) => server.stop()));
        await engines?.stop();
      },
    };
  }

  measureEngineMicroseconds(): number {
    return this.#engines?.measureMicroseconds() ?? 0;
  }

  /** Members of a room are at all nodes in turn. */
  toNodeIndex(client: number): number {
    return Math.floor(client / this.#rooms) % this.#servers.length;
  }

  async connect(
    client: number,
    room: number,
    receiver: Receiver,
    { position = '{}', opened }: ConnectOptions = {},
  ): Promise<ChatClient> {
    const classId = this.#getClassId(room);
    const live = Promise.withResolvers<void>();
    const socket = await this.#openSocket(client, {
      chunk: () => void (receiver.now = performance.now()),
      frame(bytes, start, end) {
        const type = getFrameType(bytes, start);
        if (type === 'l') live.resolve();
        else if (type === 'n') live.reject(new Error(bytes.toString('utf8', start, end)));
        else if (type === 'e') {
          visitMessageNumbers(bytes, start, end, (number) => receiver.message(client, number));
        }
      },
      closed: () => receiver.closed(client),
    });
    opened?.();
    const heldPosition = JSON.parse(position) as object;
    socket.send(JSON.stringify({ type: 'subscribe', rid: 0, classId, ...heldPosition }));
    await live.promise;
    const head = `{"type":"post","classId":"${classId}","rid":`;
    return {
      post: (number) =>
        socket.send(`${head}${number + 1},"id":"${randomUUID()}","text":"${createText(number)}"}`),
      close: () => socket.close(),
    };
  }

  async loadPosition(room: number): Promise<string> {
    const snapshot = Promise.withResolvers<string>();
    const socket = await this.#openSocket(room, {
      frame(bytes, start, end) {
        if (getFrameType(bytes, start) === 's') {
          snapshot.resolve(bytes.toString('utf8', start, end));
        }
      },
      closed: () => snapshot.reject(new Error('The server closed the connection.')),
    });
    socket.send(JSON.stringify({ type: 'subscribe', rid: 0, classId: this.#getClassId(room) }));
    const json: unknown = JSON.parse(await snapshot.promise);
    socket.close();
    const { epoch, seq, lastId } = serverFrame.parse(json) as ServerFrame & { type: 'snapshot' };
    return JSON.stringify({ epoch, after: seq, ...(lastId && { afterId: lastId }) });
  }

  #getClassId(room: number): string {
    const classId = this.school.classIds[room];
    if (!classId) throw new Error(`There is no room ${room}.`);
    return classId;
  }

  #openSocket(client: number, handlers: WebSocketHandlers): Promise<WebSocketClient> {
    const { port, origin } = this.#servers[this.toNodeIndex(client)]!;
    const headers = {
      Origin: origin,
      Cookie: this.school.cookies[client]!,
      'Sec-WebSocket-Protocol': subprotocol,
    };
    return connectWebSocket(port, socketPath, headers, handlers);
  }
}

/** The first letter of the frame's type, which follows `{"type":"`: e(vents), l(ive), n(ack), s(napshot), or another one. */
function getFrameType(bytes: Buffer, start: number): string {
  return String.fromCharCode(bytes[start + '{"type":"'.length]!);
}
