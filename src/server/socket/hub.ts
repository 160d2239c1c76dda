// Fan-out: the subscribers of each class on this server, and the open connections of each account. The
// hub only delivers notifications. The log in the database is the source of truth.
import type { LogItem } from '#contract/socket.ts';
import type { Replay } from '../domain/catch-up.ts';
import { encodeEvents, encodeFrame, type EncodedFrame } from './encode-frame.ts';

/** One subscription of one connection to one class. */
export interface Subscriber {
  /** Receives the events of one commit, encoded once for the whole room. `to` is the last seq. */
  receive(frame: EncodedFrame, to: number): void;
  /** Receives a frame that may be dropped. */
  hint(frame: EncodedFrame): void;
}

/** One open socket, as the rest of the server sees it. */
export interface Connection {
  readonly accountId: string;
  readonly sessionId: string;
  /** When the session expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  enrolment(classId: string, joined: boolean): void;
  classDeleted(classId: string): void;
  /** Closes the socket because its session has ended. */
  signOut(): void;
  /** Closes the socket. The browser may reconnect. */
  shutDown(): void;
}

export interface Hub {
  subscribe(classId: string, subscriber: Subscriber): void;
  unsubscribe(classId: string, subscriber: Subscriber): void;
  /**
   * Notifies all other subscribers of the class that a member is typing. It does so once in two
   * seconds, however many members type, because the notice does not name the member.
   */
  typing(classId: string, from: Subscriber): void;
  /** Publishes one commit's items of one class, in log order. */
  publish(classId: string, items: LogItem[]): void;
  /**
   * Publishes log entries that no commit of this server published. The caller reads them from the log.
   */
  publishMissed(classId: string, missed: Replay): void;

  connect(connection: Connection): void;
  disconnect(connection: Connection): void;
  /** Returns the number of open sockets of the account. */
  countOf(accountId: string): number;
  /** Returns the total number of sockets and subscriptions. */
  count(): { connections: number; subscriptions: number };
  /**
   * Notifies the account's own connections that it joined or left. If it left, they end their
   * subscription.
   */
  enrolment(accountId: string, classId: string, joined: boolean): void;
  /** Ends all subscriptions to a deleted class. */
  classDeleted(classId: string): void;
  endSession(accountId: string, sessionId: string): void;
  /** Closes the account's sockets. Browsers with a valid session reconnect. */
  recheckSessions(accountId: string): void;
  /** Closes the sockets of expired sessions. Call it about once a second. */
  endExpired(now: number): void;
  /** Closes every socket. The browsers reconnect. */
  shutDown(): void;
}

const typingEveryMs = 2000; // LIMIT-44

export function createHub(): Hub {
  const rooms = new Map<string, Set<Subscriber>>();
  const connections = new Map<string, Set<Connection>>();
  /**
   * When a class last got a typing notice, and the subscriber that did not get it because it was
   * typing.
   */
  const typed = new Map<string, { at: number; missedBy: Subscriber | null }>();

  function connectionsOf(accountId: string): Connection[] {
    return [...(connections.get(accountId) ?? [])];
  }

  function everyConnection(): Connection[] {
    return [...connections.values()].flatMap((of) => [...of]);
  }

  function publishEvents(classId: string, events: Replay): void {
    const room = rooms.get(classId);
    if (!room) return;
    const frame = encodeEvents({ type: 'events', classId, ...events });
    for (const subscriber of room) subscriber.receive(frame, events.to);
  }

  return {
    subscribe: (classId, subscriber) => addTo(rooms, classId, subscriber),
    unsubscribe(classId, subscriber) {
      removeFrom(rooms, classId, subscriber);
      if (!rooms.has(classId)) typed.delete(classId);
      const last = typed.get(classId);
      if (last?.missedBy === subscriber) last.missedBy = null;
    },
    typing(classId, from) {
      const now = performance.now();
      const last = typed.get(classId);
      let hearers: Iterable<Subscriber> = rooms.get(classId) ?? [];
      if (!last || now - last.at >= typingEveryMs) typed.set(classId, { at: now, missedBy: from });
      else if (last.missedBy === null || last.missedBy === from) return;
      else {
        // If two members type, each must see that the other does. So the first one also gets the
        // notice, once.
        hearers = [last.missedBy];
        last.missedBy = null;
      }
      const frame = encodeFrame({ type: 'typing', classId });
      for (const subscriber of hearers) if (subscriber !== from) subscriber.hint(frame);
    },
    publish(classId, items) {
      const first = items[0];
      const last = items.at(-1);
      if (!first || !last) return;
      publishEvents(classId, { from: first.seq, to: last.seq, lastId: last.id, items });
    },
    publishMissed(classId, missed) {
      if (missed.from <= missed.to) publishEvents(classId, missed);
    },

    connect: (connection) => addTo(connections, connection.accountId, connection),
    disconnect: (connection) => removeFrom(connections, connection.accountId, connection),
    countOf: (accountId) => connections.get(accountId)?.size ?? 0,
    count: () => ({ connections: sizeOf(connections), subscriptions: sizeOf(rooms) }),
    enrolment(accountId, classId, joined) {
      for (const connection of connectionsOf(accountId)) connection.enrolment(classId, joined);
    },
    classDeleted(classId) {
      for (const accountId of [...connections.keys()]) {
        for (const connection of connectionsOf(accountId)) connection.classDeleted(classId);
      }
    },
    endSession(accountId, sessionId) {
      for (const connection of connectionsOf(accountId)) {
        if (connection.sessionId === sessionId) connection.signOut();
      }
    },
    recheckSessions(accountId) {
      for (const connection of connectionsOf(accountId)) connection.shutDown();
    },
    endExpired(now) {
      for (const connection of everyConnection()) {
        if (connection.expiresAt <= now) connection.signOut();
      }
    },
    shutDown() {
      for (const connection of everyConnection()) connection.shutDown();
    },
  };
}

function sizeOf(sets: ReadonlyMap<string, ReadonlySet<unknown>>): number {
  return [...sets.values()].reduce((sum, { size }) => sum + size, 0);
}

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
