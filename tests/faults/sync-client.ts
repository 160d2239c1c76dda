// A browser without a screen: it keeps a list of each class, reconnects when its socket ends, and retries
// each operation until it is acknowledged or rejected.
import { WebSocket } from 'ws';
import { isTemporary } from '#contract/temporary-errors.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { Answer, Operation } from './history.ts';
import type { Random } from '#tests/support/random.ts';
import { createLogReplica, type LogReplica } from './log-replica.ts';

export interface SyncClient {
  readonly name: string;
  /** The account, for HTTP calls and more sockets. */
  readonly account: TestClient;
  rooms(): readonly LogReplica[];
  room(classId: string): LogReplica;
  follow(classId: string): void;
  unfollow(classId: string): void;
  /** Sends the operation and retries until there is an answer. */
  submit(operation: Operation): void;
  /** The number of operations without an answer. */
  pending(): number;
  /** When the current socket was welcomed; null while there is none. */
  connectedAt(): number | null;
  /** Every close code so far. */
  readonly closes: readonly number[];
  /** Closes the socket and does not reconnect. */
  disconnect(): void;
  connect(): void;
  /** Called with each frame of a class that the client does not follow. */
  onUnexpected: (classId: string, frame: ServerFrame) => void;
}

export interface SyncClientOptions {
  name: string;
  account: TestClient;
  /** The address to connect to, such as a proxy or one of several nodes (default: the server's). */
  url?: string | (() => string);
  random: Random;
  /** A socket that leaves an operation unanswered for this long is closed. */
  timeoutMs?: number;
}

export function createSyncClient(options: SyncClientOptions): SyncClient {
  const { name, account, url, random, timeoutMs = Infinity } = options;
  const rooms = new Map<string, LogReplica>();
  const waiting = new Set<Operation>();
  const closes: number[] = [];
  let socket: WebSocket | null = null;
  let isEnabled = false;
  let connectedAt: number | null = null;
  let lastRid = 0;
  /** The operations in flight on the current socket. */
  let sentOperations = new Map<number, { operation: Operation; sentAt: number }>();
  let subscribing = new Map<number, string>();

  function open(): void {
    if (!isEnabled || socket) return;
    const address = typeof url === 'function' ? url() : url;
    const newSocket = account.openWebSocket({ url: address, handshakeTimeout: 5_000 });
    socket = newSocket;
    newSocket.on('message', (data) => {
      if (socket === newSocket) receive(JSON.parse(String(data)) as ServerFrame);
    });
    newSocket.on('error', () => {});
    newSocket.on('close', (code) => {
      if (socket === newSocket) handleClose(code);
    });
  }

  function handleClose(code: number): void {
    if (connectedAt !== null) closes.push(code);
    socket = null;
    connectedAt = null;
    for (const { operation } of sentOperations.values()) {
      answer(operation, { kind: 'unknown', time: getTime() });
    }
    sentOperations = new Map();
    subscribing = new Map();
    setTimeout(open, random.int(30, 200));
  }

  function send(frame: ClientFrame): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  }

  function subscribe(room: LogReplica): void {
    const { classId } = room;
    if ([...subscribing.values()].includes(classId)) return;
    subscribing.set(++lastRid, classId);
    send({ type: 'subscribe', rid: lastRid, classId, ...room.position() });
  }

  function trySending(operation: Operation): void {
    if (connectedAt === null || !waiting.has(operation)) return;
    sentOperations.set(++lastRid, { operation, sentAt: getTime() });
    send(toFrame(operation, lastRid));
  }

  function receive(frame: ServerFrame): void {
    if (frame.type === 'announcements') return;
    const room = 'classId' in frame ? rooms.get(frame.classId) : undefined;
    if ('classId' in frame && !room) return client.onUnexpected(frame.classId, frame);
    switch (frame.type) {
      case 'welcome':
        connectedAt = getTime();
        for (const joinedRoom of rooms.values()) subscribe(joinedRoom);
        for (const operation of waiting) trySending(operation);
        return;
      case 'snapshot':
        return room?.applySnapshot(frame);
      case 'live':
        subscribing.delete(frame.rid);
        return;
      case 'events':
        if (room?.applyEvents(frame) === 'gap') subscribe(room);
        return;
      case 'reset':
        room?.clear();
        if (room && frame.reason === 'behind') subscribe(room);
        return;
      case 'ack':
        return settle(frame.rid, { kind: 'acknowledged', time: getTime(), seq: frame.seq });
      case 'nack':
        return handleNack(frame);
      case 'bye':
      case 'typing':
      case 'unread':
      case 'activity':
      case 'preferences':
      case 'voted':
      case 'chosen':
      case 'read':
      case 'enrolment':
      case 'sanction':
      case 'staff':
      case 'moderationChanged':
      case 'privateChanged':
        return;
    }
  }

  function handleNack({ rid, code, retryAfterMs = 200 }: ServerFrame & { type: 'nack' }): void {
    const canRetry = isTemporary(code);
    const classId = subscribing.get(rid);
    if (classId !== undefined) {
      subscribing.delete(rid);
      const room = rooms.get(classId);
      if (room && canRetry) setTimeout(() => subscribe(room), retryAfterMs);
      return;
    }
    const operation = sentOperations.get(rid)?.operation;
    settle(rid, { kind: canRetry ? 'later' : 'rejected', time: getTime(), code });
    if (operation && canRetry) setTimeout(() => trySending(operation), retryAfterMs);
  }

  function settle(rid: number, newAnswer: Answer): void {
    const operation = sentOperations.get(rid)?.operation;
    if (!operation) return;
    sentOperations.delete(rid);
    answer(operation, newAnswer);
    if (newAnswer.kind === 'acknowledged' || newAnswer.kind === 'rejected') {
      waiting.delete(operation);
    }
  }

  function answer(operation: Operation, newAnswer: Answer): void {
    operation.answers.push(newAnswer);
  }

  if (timeoutMs < Infinity) {
    setInterval(() => {
      const oldest = sentOperations.values().next().value;
      if (oldest && getTime() - oldest.sentAt > timeoutMs) socket?.terminate();
    }, 200).unref();
  }

  const client: SyncClient = {
    name,
    account,
    closes,
    rooms: () => [...rooms.values()],
    room: (classId) => rooms.get(classId)!,
    follow(classId) {
      const room = createLogReplica(classId);
      rooms.set(classId, room);
      if (connectedAt !== null) subscribe(room);
    },
    unfollow(classId) {
      rooms.delete(classId);
      send({ type: 'unsubscribe', classId });
    },
    submit(operation) {
      waiting.add(operation);
      trySending(operation);
    },
    pending: () => waiting.size,
    connectedAt: () => connectedAt,
    disconnect() {
      isEnabled = false;
      socket?.terminate();
    },
    connect() {
      isEnabled = true;
      open();
    },
    onUnexpected: () => {},
  };
  return client;
}

const getTime = () => performance.now();

function toFrame(operation: Operation, rid: number): ClientFrame {
  const { classId, messageId } = operation;
  switch (operation.kind) {
    case 'post':
      return { type: 'post', rid, classId, id: messageId, text: operation.text };
    case 'edit':
      return { type: 'edit', rid, classId, messageId, text: operation.text };
    case 'delete':
      return { type: 'delete', rid, classId, messageId };
    case 'react':
      return { type: 'react', rid, classId, messageId, emoji: operation.emoji };
  }
}
