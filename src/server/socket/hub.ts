// Fan-out: who follows which class on this server, and every open connection by its account.
// It only says that there is news; the log in the database is the truth.
import type { LogItem } from '#contract/socket.ts';
import type { Replay } from '../domain/catch-up.ts';
import { encodeFrame, type EncodedFrame } from './encode-frame.ts';

/** One subscription of one connection to one class. */
export interface Subscriber {
  /** A frame of events, encoded once for everybody in the room. `to` is its last seq. */
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
  /** Says to everybody in the class but this one that somebody is typing. */
  typing(classId: string, from: Subscriber): void;
  /** One commit's items of one class, in the order of its log. */
  publish(classId: string, items: LogItem[]): void;
  /** Entries of a class's log that no commit of this server published, from the log itself. */
  publishMissed(classId: string, missed: Replay): void;

  connect(connection: Connection): void;
  disconnect(connection: Connection): void;
  /** How many sockets the account has open. */
  countOf(accountId: string): number;
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

export function createHub(): Hub {
  const rooms = new Map<string, Set<Subscriber>>();
  const connections = new Map<string, Set<Connection>>();

  function connectionsOf(accountId: string): Connection[] {
    return [...(connections.get(accountId) ?? [])];
  }

  function everyConnection(): Connection[] {
    return [...connections.values()].flatMap((of) => [...of]);
  }

  function publishEvents(classId: string, events: Replay): void {
    const room = rooms.get(classId);
    if (!room) return;
    const frame = encodeFrame({ type: 'events', classId, ...events });
    for (const subscriber of room) subscriber.receive(frame, events.to);
  }

  return {
    subscribe: (classId, subscriber) => addTo(rooms, classId, subscriber),
    unsubscribe: (classId, subscriber) => removeFrom(rooms, classId, subscriber),
    typing(classId, from) {
      const frame = encodeFrame({ type: 'typing', classId });
      for (const subscriber of rooms.get(classId) ?? []) {
        if (subscriber !== from) subscriber.hint(frame);
      }
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
