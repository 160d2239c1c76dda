// Fan-out: who follows which class on this server, and every open connection by its account.
// It only says that there is news; the log in the database is the truth.
import type { LogItem } from '#contract/socket.ts';
import type { Replay } from '../domain/catch-up.ts';
import { encodeEvents, encodeFrame, type EncodedFrame } from './encode-frame.ts';

/** One subscription of one connection to one class. */
export interface Subscriber {
  /** The events of one commit, encoded once for everybody in the room. `to` is the last seq. */
  receive(frame: EncodedFrame, to: number): void;
  /** A frame that may be lost. */
  hint(frame: EncodedFrame): void;
}

/** One open socket, as the rest of the server may speak to it. */
export interface Connection {
  readonly accountId: string;
  readonly sessionId: string;
  /** When the session ends by itself, in milliseconds since 1970. */
  readonly expiresAt: number;
  enrolment(classId: string, joined: boolean): void;
  classDeleted(classId: string): void;
  /** Ends the socket: its session is over. */
  signOut(): void;
  /** Ends the socket, which may come back later. */
  shutDown(): void;
}

export interface Hub {
  subscribe(classId: string, subscriber: Subscriber): void;
  unsubscribe(classId: string, subscriber: Subscriber): void;
  /**
   * Says to everybody in the class but this one that somebody is typing: once in two seconds, however
   * many type, for nobody is told who it is.
   */
  typing(classId: string, from: Subscriber): void;
  /** One commit's items of one class, in the order of its log. */
  publish(classId: string, items: LogItem[]): void;
  /** Entries of a class's log that no commit of this server published, from the log itself. */
  publishMissed(classId: string, missed: Replay): void;

  connect(connection: Connection): void;
  disconnect(connection: Connection): void;
  /** How many sockets the account has open. */
  countOf(accountId: string): number;
  /** How many sockets and subscriptions there are in all. */
  count(): { connections: number; subscriptions: number };
  /** The account joined or left: tells its own connections, and ends what they may not see. */
  enrolment(accountId: string, classId: string, joined: boolean): void;
  /** The class is no more: ends what anybody has of it. */
  classDeleted(classId: string): void;
  endSession(accountId: string, sessionId: string): void;
  /** Ends the account's sockets: its browsers come back, if their sessions are still there. */
  recheckSessions(accountId: string): void;
  /** Ends the sockets of sessions whose time has come. To be called about once a second. */
  endExpired(now: number): void;
  /** Ends every socket; the browsers come back by themselves. */
  shutDown(): void;
}

const typingEveryMs = 2000; // LIMIT-44

export function createHub(): Hub {
  const rooms = new Map<string, Set<Subscriber>>();
  const connections = new Map<string, Set<Connection>>();
  /** When a class was last told that somebody types, and who was not: the one who typed. */
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
        // Of two who type each is shown that the other does, so the first one is told as well, once.
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
