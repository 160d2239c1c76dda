// Fan-out: the subscribers of each class on this server, and the open connections of each account. The
// hub only delivers notifications. The log in the database is the source of truth.
import type { SavedPreferences } from '#contract/preferences.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';
import { createNoisyGauge, type NoisyGauge } from '#server/base/noisy-gauge.ts';
import { gaugeStep } from '#server/base/served-metrics.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import { createActivity, type Activity } from './activity.ts';
import { encodeFrame, type EncodedEvents, type EncodedFrame } from './frames.ts';

/** One subscription of one connection to one class. */
export interface Subscriber {
  /** Receives the events of one commit, encoded once for the whole room. `to` is the last seq. */
  receive(frame: EncodedFrame, to: number): void;
  /** Receives a frame that may be dropped. */
  receiveVolatile(frame: EncodedFrame): void;
}

/** One light subscription of one connection to one class. */
export interface ActivityFollower {
  receiveActivity(activity: Activity): void;
}

/** A vote of the account for a question or in a poll, or that it took the vote back. */
export type OwnVote = Extract<ServerFrame, { type: 'voted' | 'chosen' }>;

/** One open socket, as the rest of the server sees it. */
export interface Connection {
  readonly accountId: string;
  readonly sessionId: string;
  /** When the session expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The class that the browser has in view. */
  getViewedClass(): string | null;
  notifyEnrollment(classId: string, hasJoined: boolean): void;
  notifyClassDeleted(classId: string): void;
  /** Ends the subscriptions to classes that the account has left without a notice to this connection. */
  endLeftSubscriptions(): Promise<void>;
  notifyModerationChanged(): void;
  /**
   * Reads the member again, because the role of staff or the sanction may have changed, or all ids, when the links of the class
   * are removed.
   */
  recheckMember(classId: string): Promise<void>;
  /**
   * Notifies the connection that the account has read up to this seq on another device. An earlier seq than the current one counts
   * only if `mayMoveBack` is true.
   */
  notifyRead(classId: string, seq: number, mayMoveBack: boolean): void;
  notifyPreferences(classId: string, frame: EncodedFrame): void;
  notifyVoted(frame: EncodedFrame): void;
  /** Receives the announcements for everyone. */
  notifyAnnouncements(frame: EncodedFrame): void;
  /** Closes the socket because its session has ended. */
  signOut(): void;
  /** Closes the socket. The browser may reconnect. */
  shutDown(): void;
}

export interface LocalHub {
  subscribe(classId: string, subscriber: Subscriber): void;
  unsubscribe(classId: string, subscriber: Subscriber): void;
  /** Subscribes only to changes of unread counts. */
  follow(classId: string, follower: ActivityFollower): void;
  unfollow(classId: string, follower: ActivityFollower): void;
  /**
   * Notifies all other subscribers of the class that a member is typing, at most every two seconds per
   * class. One notice is enough, because it does not name the member.
   */
  notifyTyping(classId: string, from: Subscriber): void;
  /** Delivers the next entries of the class's log. */
  deliver(classId: string, events: EncodedEvents): void;

  connect(connection: Connection): void;
  disconnect(connection: Connection): void;
  /** Returns the number of open sockets of the account. */
  countConnections(accountId: string): number;
  countByAccount(): ReadonlyMap<string, number>;
  /** Tells whether the account has the class in view on any device. */
  isViewing(accountId: string, classId: string): boolean;
  /** Lists the classes that accounts have in view on this server. */
  listViewed(): { accountId: string; classId: string }[];
  /** Returns the total number of sockets and subscriptions. */
  count(): { connections: number; subscriptions: number };
  /**
   * Notifies the connections of the account that it joined or left the class. If it left, they end their subscription.
   */
  notifyEnrollment(accountId: string, classId: string, hasJoined: boolean): void;
  /**
   * Notifies the connections of these accounts on this server that the accounts are in the class. Each node notifies its
   * connections.
   */
  notifyMerged(classId: string, accountIds: ReadonlySet<string>): void;
  /** Ends the subscriptions of accounts that left a class, if the notices of other nodes may be lost. */
  endLeftSubscriptions(): Promise<void>;
  /** Lists the sessions of all open sockets, each session once. */
  listSessions(): { accountId: string; sessionId: string }[];
  /** Notifies the account's other connections of its position in a class. */
  notifyRead(
    from: Pick<Connection, 'accountId'>,
    classId: string,
    seq: number,
    mayMoveBack: boolean,
  ): void;
  /** Makes all connections read their member of the class again. Those of a removed member end their subscription. */
  recheckMembers(classId: string): Promise<void>;
  /** Notifies the connections of these accounts that a case or their roles changed. */
  notifyModerationChanged(accountIds: readonly string[]): void;
  /** Notifies all connections of the account of its preferences in a class. */
  notifyPreferences(accountId: string, classId: string, preferences: SavedPreferences): void;
  /** Notifies all connections of the account of its own vote. */
  notifyVoted(accountId: string, ownVote: OwnVote): void;
  /** Sends the frame of announcements to all connections (null), or a frame that may be dropped to those that have the class open. */
  publishVolatile(classId: string | null, frame: EncodedFrame): void;
  /** Notifies all connections of a deleted class. They end their subscriptions to it. */
  notifyClassDeleted(classId: string): void;
  endSession(accountId: string, sessionId: string): void;
  /** Closes the sockets of the accounts for which `hasEnded` is true. */
  endSessions(hasEnded: (accountId: string) => boolean): void;
  /** Closes the sockets of expired sessions. Call it about once a second. */
  closeExpired(now: number): void;
  /** Closes every socket. The browsers reconnect. */
  shutDown(): void;
  /**
   * Grows with each of these calls. If it has grown since a session was read, the session of a socket that is not
   * connected yet may have ended.
   */
  countClosings(): number;
}

/** A hub that delivers the log of each class in its order, without gaps, no matter which server committed the entries. */
export interface Hub extends Omit<LocalHub, 'subscribe' | 'follow' | 'deliver'> {
  /** Subscribes. The subscriber receives everything that is published from now on, or committed after the promise resolves. */
  subscribe(classId: string, subscriber: Subscriber): Promise<void>;
  /** Subscribes only to changes of unread counts. */
  follow(classId: string, follower: ActivityFollower): Promise<void>;
  /** Publishes one commit's items of one class, in log order. */
  publish(classId: string, items: readonly LogItem[]): void;
  /** Publishes the entries of the log that no server has published. */
  publishLog(classId: string): Promise<void>;
  /** Resolves when no read of the log is in progress. */
  stop(): Promise<void>;
}

const typingIntervalMs = 2000; // LIMIT-44

type Subscriptions = Pick<
  LocalHub,
  'subscribe' | 'unsubscribe' | 'follow' | 'unfollow' | 'notifyTyping' | 'deliver'
>;
type ConnectionCloser = Pick<
  LocalHub,
  'endSession' | 'endSessions' | 'closeExpired' | 'shutDown' | 'countClosings'
>;
type ConnectionNotifier = Omit<
  LocalHub,
  keyof Subscriptions | keyof ConnectionCloser | 'count' | 'publishVolatile'
>;

export function createLocalHub(metrics?: Pick<WorkCounter, 'count'>): LocalHub {
  const subscribers = new Map<string, Set<Subscriber>>();
  const followers = new Map<string, Set<ActivityFollower>>();
  const connections = new Map<string, Set<Connection>>();
  return {
    ...createSubscriptions(subscribers, followers, metrics),
    ...createConnectionNotifier(connections),
    ...createConnectionCloser(connections),
    count: () => ({
      connections: countValues(connections),
      subscriptions: countValues(subscribers) + countValues(followers),
    }),
    publishVolatile(classId, frame) {
      if (classId === null) {
        for (const connection of listValues(connections)) connection.notifyAnnouncements(frame);
      } else {
        // A subscription that is not live yet drops the frame. Its `live` frame contains the announcements.
        for (const subscriber of subscribers.get(classId) ?? []) subscriber.receiveVolatile(frame);
      }
    },
  };
}

/** Delivers the events of a class to its subscribers and followers. */
function createSubscriptions(
  subscribers: Map<string, Set<Subscriber>>,
  followers: Map<string, Set<ActivityFollower>>,
  metrics?: Pick<WorkCounter, 'count'>,
): Subscriptions {
  /** The time of each class's last typing notice, and the typing subscriber that did not get it. */
  const typingNotices = new Map<string, { sentAt: number; missedBy: Subscriber | null }>();
  const sizeGauges = new WeakMap<ReadonlySet<unknown>, NoisyGauge>();

  /**
   * Returns a noisy number for the metrics. The exact number, summed up over many messages, would tell whether a classmate is
   * online (METRIC-9).
   */
  function renewNoisySize(receivers: ReadonlySet<unknown>): number {
    const gauge = sizeGauges.get(receivers) ?? createNoisyGauge(gaugeStep);
    sizeGauges.set(receivers, gauge);
    return gauge.renew(receivers.size);
  }

  /**
   * Takes the subscribers that get a typing notice. If two members type, each must see that the other one types, so the first
   * typist also gets one notice.
   */
  function takeTypingRecipients(classId: string, from: Subscriber): Iterable<Subscriber> {
    const now = performance.now();
    const lastNotice = typingNotices.get(classId);
    if (!lastNotice || now - lastNotice.sentAt >= typingIntervalMs) {
      typingNotices.set(classId, { sentAt: now, missedBy: from });
      return subscribers.get(classId) ?? [];
    }
    if (lastNotice.missedBy === null || lastNotice.missedBy === from) return [];
    const recipients = [lastNotice.missedBy];
    lastNotice.missedBy = null;
    return recipients;
  }

  return {
    subscribe: (classId, subscriber) => addTo(subscribers, classId, subscriber),
    unsubscribe(classId, subscriber) {
      removeFrom(subscribers, classId, subscriber);
      if (!subscribers.has(classId)) typingNotices.delete(classId);
      const lastNotice = typingNotices.get(classId);
      if (lastNotice?.missedBy === subscriber) lastNotice.missedBy = null;
    },
    follow: (classId, follower) => addTo(followers, classId, follower),
    unfollow: (classId, follower) => removeFrom(followers, classId, follower),
    notifyTyping(classId, from) {
      const recipients = [...takeTypingRecipients(classId, from)].filter(
        (subscriber) => subscriber !== from,
      );
      if (recipients.length === 0) return;
      const frame = encodeFrame({ type: 'typing', classId });
      for (const subscriber of recipients) subscriber.receiveVolatile(frame);
    },
    deliver(classId, events) {
      const classSubscribers = subscribers.get(classId);
      if (classSubscribers) {
        for (const subscriber of classSubscribers) subscriber.receive(events.frame, events.to);
        metrics?.count('deliveries', 'events', renewNoisySize(classSubscribers));
      }
      const classFollowers = followers.get(classId);
      if (!classFollowers) return;
      const activity = createActivity(classId, { ...events, items: events.items() });
      for (const follower of classFollowers) follower.receiveActivity(activity);
      metrics?.count('deliveries', 'notices', renewNoisySize(classFollowers));
    },
  };
}

/** @param connections the open connections of each account */
function createConnectionNotifier(connections: Map<string, Set<Connection>>): ConnectionNotifier {
  const listConnections = (accountId: string) => [...(connections.get(accountId) ?? [])];

  return {
    connect: (connection) => addTo(connections, connection.accountId, connection),
    disconnect: (connection) => removeFrom(connections, connection.accountId, connection),
    countConnections: (accountId) => connections.get(accountId)?.size ?? 0,
    countByAccount: () => new Map(Array.from(connections, ([id, { size }]) => [id, size])),
    isViewing: (accountId, classId) =>
      listConnections(accountId).some((connection) => connection.getViewedClass() === classId),
    listViewed: () =>
      listValues(connections).flatMap((connection) => {
        const classId = connection.getViewedClass();
        return classId === null ? [] : { accountId: connection.accountId, classId };
      }),
    listSessions() {
      const accountIds = new Map(
        listValues(connections).map(({ sessionId, accountId }) => [sessionId, accountId]),
      );
      return [...accountIds].map(([sessionId, accountId]) => ({ accountId, sessionId }));
    },
    notifyEnrollment(accountId, classId, hasJoined) {
      for (const connection of listConnections(accountId)) {
        connection.notifyEnrollment(classId, hasJoined);
      }
    },
    notifyMerged(classId, accountIds) {
      for (const connection of listValues(connections)) {
        if (accountIds.has(connection.accountId)) connection.notifyEnrollment(classId, true);
      }
    },
    async endLeftSubscriptions() {
      for (const connection of listValues(connections)) await connection.endLeftSubscriptions();
    },
    notifyRead(from, classId, seq, mayMoveBack) {
      for (const connection of connections.get(from.accountId) ?? []) {
        if (connection !== from) connection.notifyRead(classId, seq, mayMoveBack);
      }
    },
    notifyPreferences(accountId, classId, preferences) {
      const frame = encodeFrame({ type: 'preferences', classId, ...preferences });
      for (const connection of listConnections(accountId)) {
        connection.notifyPreferences(classId, frame);
      }
    },
    notifyVoted(accountId, ownVote) {
      const frame = encodeFrame(ownVote);
      for (const connection of listConnections(accountId)) connection.notifyVoted(frame);
    },
    notifyClassDeleted(classId) {
      for (const connection of listValues(connections)) connection.notifyClassDeleted(classId);
    },
    async recheckMembers(classId) {
      await Promise.all(
        listValues(connections).map((connection) => connection.recheckMember(classId)),
      );
    },
    notifyModerationChanged(accountIds) {
      for (const accountId of accountIds) {
        for (const connection of listConnections(accountId)) connection.notifyModerationChanged();
      }
    },
  };
}

/** @param connections the open connections of each account */
function createConnectionCloser(connections: Map<string, Set<Connection>>): ConnectionCloser {
  const listConnections = (accountId: string) => [...(connections.get(accountId) ?? [])];
  let closings = 0;

  return {
    endSession(accountId, sessionId) {
      closings += 1;
      for (const connection of listConnections(accountId)) {
        if (connection.sessionId === sessionId) connection.signOut();
      }
    },
    endSessions(hasEnded) {
      closings += 1;
      for (const accountId of [...connections.keys()]) {
        if (!hasEnded(accountId)) continue;
        for (const connection of listConnections(accountId)) connection.signOut();
      }
    },
    closeExpired(now) {
      for (const connection of listValues(connections)) {
        if (connection.expiresAt <= now) connection.signOut();
      }
    },
    shutDown() {
      closings += 1;
      for (const connection of listValues(connections)) connection.shutDown();
    },
    countClosings: () => closings,
  };
}

/** Copies the values, because some may be removed while the caller iterates. */
function listValues<Value>(sets: ReadonlyMap<string, ReadonlySet<Value>>): Value[] {
  return [...sets.values()].flatMap((set) => [...set]);
}

function countValues(sets: ReadonlyMap<string, ReadonlySet<unknown>>): number {
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
