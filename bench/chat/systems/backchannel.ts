// Backchannel under test. The clients use the same socket and calls as the browser.
import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { toRouteUrl } from '#contract/routes.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { serverFrame, type ServerFrame } from '#contract/socket.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { fillRoom } from '../../fill-room.ts';
import { createSchool, type School } from '../../school.ts';
import {
  startBackchannel,
  getBackchannelVersion,
  type ServerProcess,
} from '../../server-process.ts';
import type { ChatSystem, StartOptions } from '../chat-system.ts';
import { visitNumbers, createText } from '../payload.ts';
import { connectWebSocket, type WebSocketHandlers } from '../websocket-client.ts';

/** Settings that connect several nodes, and the number of nodes. */
export interface BackchannelNodes {
  count: number;
  settings: Readonly<Record<string, string>>;
}

export interface BackchannelSystem extends ChatSystem {
  /** Returns the process ids of the running servers. */
  pids(): readonly number[];
  /** The node that a client uses. */
  toNodeIndex(client: number): number;
}

/** @param nodes by default one server with SQLite */
export function createBackchannel(nodes?: BackchannelNodes): BackchannelSystem {
  let servers: ServerProcess[] = [];
  let options: StartOptions;
  let school: School;

  function findDocClass(room: number): string {
    const classId = school.classIds[room];
    if (!classId) throw new Error(`There is no room ${room}.`);
    return classId;
  }

  /** Members of a room are at all nodes in turn. */
  const toNodeIndex = (client: number) => Math.floor(client / options.rooms) % servers.length;
  const getPort = (client: number) => servers[toNodeIndex(client)]!.port;

  function createHeaders(client: number): Record<string, string> {
    return { Origin: `http://localhost:${getPort(client)}`, Cookie: school.cookies[client]! };
  }

  function connectLive(client: number, handlers: WebSocketHandlers) {
    const headers = { ...createHeaders(client), 'Sec-WebSocket-Protocol': subprotocol };
    return connectWebSocket(getPort(client), socketPath, headers, handlers);
  }

  function getBody(client: number, path: string, agent?: Agent): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const request = {
        port: getPort(client),
        host: '127.0.0.1',
        path,
        headers: createHeaders(client),
      };
      get({ ...request, ...(agent && { agent }) }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks));
          else reject(new Error(`${path} was answered with ${response.statusCode}.`));
        });
      }).once('error', reject);
    });
  }

  return {
    pids: () => servers.map(({ pid }) => pid),
    toNodeIndex,
    name: 'backchannel',
    version: getBackchannelVersion(),
    stores: 'messages and their log in SQLite (WAL), synced before broadcast and ack',

    async start(requested) {
      options = requested;
      const { dataDir, clients, rooms, nodeOptions, withChannel } = requested;
      school = await createSchool(dataDir, clients, rooms, {
        ...(requested.isInEveryRoom && { isMember: () => true }),
        messagesPerClass: requested.storedMessages ?? 0,
        ...(nodes && { settings: nodes.settings }),
      });
      const settings = { ...unlimitedRates, ...nodes?.settings };
      const startNode = (node: number) =>
        startBackchannel({
          dataDir: nodes ? join(dataDir, `node-${node}`) : dataDir,
          settings,
          nodeOptions,
          withChannel,
        });
      servers = [await startNode(0)];
      while (servers.length < (nodes?.count ?? 1)) servers.push(await startNode(servers.length));
      return {
        ...servers[0]!,
        stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
      };
    },

    async connect(client, room, receiver, { position = '{}', opened } = {}) {
      const classId = findDocClass(room);
      const live = Promise.withResolvers<void>();
      let head = 0;
      const socket = await connectLive(client, {
        chunk: () => void (receiver.now = performance.now()),
        frame(bytes, start, end) {
          const type = getFrameType(bytes, start);
          if (type === 'l') live.resolve();
          else if (type === 'n') live.reject(new Error(bytes.toString('utf8', start, end)));
          else if (type === 't') receiver.typing();
          else if (type === 'e') {
            head = parseNumberAfter(bytes, '"to":', start);
            visitNumbers(bytes, start, end, (number) => receiver.message(client, number));
          }
        },
        closed: () => receiver.closed(client),
      });
      opened?.();
      const heldPosition = JSON.parse(position) as object;
      socket.send(JSON.stringify({ type: 'subscribe', rid: 0, classId, ...heldPosition }));
      await live.promise;
      const postHead = `{"type":"post","classId":"${classId}","rid":`;
      return {
        post: (number) =>
          socket.send(
            `${postHead}${number + 1},"id":"${randomUUID()}","text":"${createText(number)}"}`,
          ),
        markRead: () => socket.send(`{"type":"read","classId":"${classId}","seq":${head}}`),
        type: () => socket.send(`{"type":"typing","classId":"${classId}"}`),
        close: () => socket.close(),
      };
    },

    loadPosition: (room) =>
      new Promise((resolve, reject) => {
        const socket = connectLive(room, {
          frame(bytes, start, end) {
            if (getFrameType(bytes, start) !== 's') return;
            const json: unknown = JSON.parse(bytes.toString('utf8', start, end));
            const { epoch, seq, lastId } = serverFrame.parse(json) as ServerFrame & {
              type: 'snapshot';
            };
            resolve(JSON.stringify({ epoch, after: seq, ...(lastId && { afterId: lastId }) }));
            void socket.then((open) => open.close());
          },
          closed: () => reject(new Error('The server closed the connection.')),
        });
        socket.then(
          (open) =>
            open.send(JSON.stringify({ type: 'subscribe', rid: 0, classId: findDocClass(room) })),
          reject,
        );
      }),

    async readSnapshots(client, room) {
      const classId = findDocClass(room);
      let numbers: number[] = [];
      let resolveNumbers: (numbers: number[]) => void = () => {};
      const socket = await connectLive(client, {
        frame(bytes, start, end) {
          if (getFrameType(bytes, start) === 'l') resolveNumbers(numbers);
          else visitNumbers(bytes, start, end, (number) => numbers.push(number));
        },
      });
      return {
        read: () =>
          new Promise((resolve) => {
            numbers = [];
            resolveNumbers = resolve;
            socket.send(JSON.stringify({ type: 'subscribe', rid: 1, classId }));
          }),
        close: () => socket.close(),
      };
    },

    readPages(client, room, page) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const params = { classId: findDocClass(room) };
      const limit = '50';
      let storedCount = Infinity;
      return {
        async read() {
          const beforeSeq =
            page === 'random' && storedCount < Infinity ? chooseRandomSeq(storedCount) : null;
          const query = beforeSeq ? { limit, before: String(beforeSeq) } : { limit };
          const body = await getBody(client, toRouteUrl('listMessages', { params, query }), agent);
          const numbers: number[] = [];
          visitNumbers(body, 0, body.length, (number) => numbers.push(number));
          if (storedCount === Infinity) storedCount = numbers.length > 0 ? Math.max(...numbers) : 0;
          return numbers;
        },
        close: () => agent.destroy(),
      };
    },

    fillRoom: (room, from, count) =>
      fillRoom(options.dataDir, findDocClass(room), count, (n) => createText(from + n)),

    async openEveryRoom(client, isLight) {
      let waiting = school.classIds.length;
      const opening = Promise.withResolvers<void>();
      const socket = await connectLive(client, {
        frame(bytes, start) {
          const isOpen = getFrameType(bytes, start) === (isLight ? 'u' : 'l');
          if (isOpen && --waiting === 0) opening.resolve();
        },
      });
      for (const [rid, classId] of school.classIds.entries()) {
        const light = isLight ? { light: true } : {};
        socket.send(JSON.stringify({ type: 'subscribe', rid, classId, ...light }));
      }
      await opening.promise;
      socket.close();
      return socket.bytesReceived();
    },

    listRooms: async (client) => (await getBody(client, toRouteUrl('listClasses', {}))).length,
  };
}

/**
 * The first letter of the frame's type, which follows `{"type":"`: e(vents), l(ive), n(ack), s(napshot),
 * t(yping), u(nread), or another one.
 */
function getFrameType(bytes: Buffer, start: number): string {
  return String.fromCharCode(bytes[start + '{"type":"'.length]!);
}

function parseNumberAfter(bytes: Buffer, name: string, start: number): number {
  let number = 0;
  for (
    let position = bytes.indexOf(name, start) + name.length;
    bytes[position]! >= 48;
    position++
  ) {
    number = number * 10 + bytes[position]! - 48;
  }
  return number;
}

/** A seq with at least 50 messages before it. */
function chooseRandomSeq(storedCount: number): number {
  return 51 + Math.floor(Math.random() * Math.max(1, storedCount - 50));
}
