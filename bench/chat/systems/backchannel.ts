// Backchannel under test. The clients use the same socket and calls as the browser.
import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { toRouteUrl } from '#contract/routes.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { serverFrame, type ServerFrame } from '#contract/socket.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { chooseNotifications, turnOnNotifications } from '#tests/support/notifications.ts';
import { startPushService, type PushService } from '#tests/support/push-service.ts';
import { grantRoleByCommand } from '#tests/support/roles.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { fillRoom } from '../../fill-room.ts';
import { createSchool, type School } from '../../school.ts';
import {
  startBackchannel,
  getBackchannelVersion,
  type ServerProcess,
} from '../../server-process.ts';
import type {
  ChatClient,
  ChatSystem,
  ConnectOptions,
  PageReader,
  Receiver,
  StartOptions,
} from '../chat-system.ts';
import { visitMessageNumbers, createText } from '../payload.ts';
import {
  connectWebSocket,
  type WebSocketClient,
  type WebSocketHandlers,
} from '../websocket-client.ts';

/** Members react to a message that this many others have followed, because it is stored by then. */
const messagesAfterReaction = 20;
/** The shares of the members of a school in which the features are in use. */
const shareWithDevice = 0.1;
const shareWithPreferences = 0.2;

/** Settings that connect several nodes, and the number of nodes. */
export interface BackchannelNodes {
  count: number;
  settings: Readonly<Record<string, string>>;
}

export class Backchannel implements ChatSystem {
  readonly name = 'backchannel';
  readonly version = getBackchannelVersion();
  readonly stores = 'messages and their log in SQLite (WAL), synced before broadcast and ack';
  readonly #nodes: BackchannelNodes | undefined;
  #servers: ServerProcess[] = [];
  /** The ids of the last messages of each class. */
  readonly #recentIds = new Map<string, string[]>();
  // Set by `start`.
  #options!: StartOptions;
  #school!: School;

  /** @param nodes by default one server with SQLite */
  constructor(nodes?: BackchannelNodes) {
    this.#nodes = nodes;
  }

  async start(options: StartOptions): Promise<ServerProcess> {
    const { dataDir, clients, rooms, nodeOptions, withChannel } = options;
    const nodes = this.#nodes;
    this.#options = options;
    this.#school = await createSchool(dataDir, clients, rooms, {
      ...(options.isInEveryRoom && { isMember: () => true }),
      messagesPerClass: options.storedMessages ?? 0,
      ...(nodes && { settings: nodes.settings }),
    });
    const pushService = options.hasFeatures ? await startPushService() : null;
    const settings = {
      ...unlimitedRates,
      ...nodes?.settings,
      ...(pushService && { PUSH_HOSTS: pushService.host }),
    };
    const startNode = (node: number) =>
      startBackchannel({
        dataDir: nodes ? join(dataDir, `node-${node}`) : dataDir,
        settings,
        nodeOptions,
        withChannel,
      });
    const firstServer = await startNode(0);
    const servers = [firstServer];
    this.#servers = servers;
    while (servers.length < (nodes?.count ?? 1)) servers.push(await startNode(servers.length));
    if (pushService) await this.#turnOnFeatures(pushService, { DATA_DIR: dataDir });
    return {
      ...firstServer,
      async stop() {
        await Promise.all(servers.map((server) => server.stop()));
        await pushService?.close();
      },
    };
  }

  /** A moderator for each class, devices that are notified of all messages, and preferences. */
  async #turnOnFeatures(pushService: PushService, settings: Record<string, string>): Promise<void> {
    const { clients, rooms } = this.#options;
    const { emails, cookies } = this.#school;
    for (let room = 0; room < rooms; room++) {
      const role = { email: emails[room]!, classId: this.#getClassId(room) };
      await grantRoleByCommand(settings, role, `Professor ${room}`);
    }
    for (let n = 0; n < clients; n++) {
      const member = createTestClient(this.#servers[0]!.origin, emails[n]!, {
        cookie: cookies[n]!,
      });
      const classId = this.#getClassId(n % rooms);
      const place = Math.floor(n / rooms) / Math.ceil(clients / rooms);
      if (place < shareWithDevice) {
        await turnOnNotifications(member, pushService);
        await chooseNotifications(member, classId, 'all');
      } else if (place < shareWithDevice + shareWithPreferences) {
        const body = { ignored: [], hidden: [], muted: true, version: 0 };
        await member.call('savePreferences', { params: { classId }, body });
      }
    }
  }

  /** The process ids of the running servers. */
  listPids(): readonly number[] {
    return this.#servers.map(({ pid }) => pid);
  }

  /** The node that a client uses. Members of a room are at all nodes in turn. */
  toNodeIndex(client: number): number {
    return Math.floor(client / this.#options.rooms) % this.#servers.length;
  }

  async connect(
    client: number,
    room: number,
    receiver: Receiver,
    { position = '{}', opened }: ConnectOptions = {},
  ): Promise<ChatClient> {
    const classId = this.#getClassId(room);
    const live = Promise.withResolvers<void>();
    let head = 0;
    const socket = await this.#openSocket(client, {
      chunk: () => void (receiver.now = performance.now()),
      frame(bytes, start, end) {
        const type = getFrameType(bytes, start);
        if (type === 'l') live.resolve();
        else if (type === 'n') live.reject(new Error(bytes.toString('utf8', start, end)));
        else if (type === 't') receiver.typing();
        else if (type === 'e') {
          head = parseNumberAfter(bytes, '"to":', start);
          visitMessageNumbers(bytes, start, end, (number) => receiver.message(client, number));
        }
      },
      closed: () => receiver.closed(client),
    });
    opened?.();
    const heldPosition = JSON.parse(position) as object;
    socket.send(JSON.stringify({ type: 'subscribe', rid: 0, classId, ...heldPosition }));
    await live.promise;
    const recentIds = this.#recentIds.get(classId) ?? [];
    this.#recentIds.set(classId, recentIds);
    const postHead = `{"type":"post","classId":"${classId}","rid":`;
    return {
      post(number) {
        const id = randomUUID();
        recentIds.push(id);
        if (recentIds.length > messagesAfterReaction) recentIds.shift();
        socket.send(`${postHead}${number + 1},"id":"${id}","text":"${createText(number)}"}`);
      },
      react() {
        const [messageId] = recentIds;
        const frame = { type: 'react', rid: 1, classId, messageId, emoji: '👍' };
        if (recentIds.length === messagesAfterReaction) socket.send(JSON.stringify(frame));
      },
      markRead: () => socket.send(`{"type":"read","classId":"${classId}","seq":${head}}`),
      type: () => socket.send(`{"type":"typing","classId":"${classId}"}`),
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

  async openSnapshotReader(client: number, room: number): Promise<PageReader> {
    const classId = this.#getClassId(room);
    let numbers: number[] = [];
    let resolveNumbers: (numbers: number[]) => void = () => {};
    const socket = await this.#openSocket(client, {
      frame(bytes, start, end) {
        if (getFrameType(bytes, start) === 'l') resolveNumbers(numbers);
        else visitMessageNumbers(bytes, start, end, (number) => numbers.push(number));
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
  }

  openPageReader(client: number, room: number, page: 'newest' | 'random'): PageReader {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const params = { classId: this.#getClassId(room) };
    const limit = '50';
    let storedCount = Infinity;
    return {
      read: async () => {
        const beforeSeq =
          page === 'random' && storedCount < Infinity ? chooseRandomSeq(storedCount) : null;
        const query = beforeSeq ? { limit, before: String(beforeSeq) } : { limit };
        const path = toRouteUrl('listMessages', { params, query });
        const body = await this.#getBody(client, path, agent);
        const numbers: number[] = [];
        visitMessageNumbers(body, 0, body.length, (number) => numbers.push(number));
        if (storedCount === Infinity) storedCount = numbers.length > 0 ? Math.max(...numbers) : 0;
        return numbers;
      },
      close: () => agent.destroy(),
    };
  }

  async fillRoom(room: number, from: number, count: number): Promise<void> {
    await fillRoom(this.#options.dataDir, this.#getClassId(room), count, (n) =>
      createText(from + n),
    );
  }

  async openEveryRoom(client: number, isLight: boolean): Promise<number> {
    const { classIds } = this.#school;
    let waiting = classIds.length;
    const opening = Promise.withResolvers<void>();
    const socket = await this.#openSocket(client, {
      frame(bytes, start) {
        const isOpen = getFrameType(bytes, start) === (isLight ? 'u' : 'l');
        if (isOpen && --waiting === 0) opening.resolve();
      },
    });
    for (const [rid, classId] of classIds.entries()) {
      const light = isLight ? { light: true } : {};
      socket.send(JSON.stringify({ type: 'subscribe', rid, classId, ...light }));
    }
    await opening.promise;
    socket.close();
    return socket.bytesReceived;
  }

  async listRooms(client: number): Promise<number> {
    return (await this.#getBody(client, toRouteUrl('listClasses', {}))).length;
  }

  #getClassId(room: number): string {
    const classId = this.#school.classIds[room];
    if (!classId) throw new Error(`There is no room ${room}.`);
    return classId;
  }

  #getPort(client: number): number {
    return this.#servers[this.toNodeIndex(client)]!.port;
  }

  #createHeaders(client: number): Record<string, string> {
    return {
      Origin: `http://localhost:${this.#getPort(client)}`,
      Cookie: this.#school.cookies[client]!,
    };
  }

  #openSocket(client: number, handlers: WebSocketHandlers): Promise<WebSocketClient> {
    const headers = { ...this.#createHeaders(client), 'Sec-WebSocket-Protocol': subprotocol };
    return connectWebSocket(this.#getPort(client), socketPath, headers, handlers);
  }

  #getBody(client: number, path: string, agent?: Agent): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const request = {
        port: this.#getPort(client),
        host: '127.0.0.1',
        path,
        headers: this.#createHeaders(client),
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
