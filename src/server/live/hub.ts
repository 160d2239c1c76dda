// Fan-out: the subscribers of each class on this server, and the open connections of each account. The
// hub only delivers notifications. The log in the database is the source of truth.
import type { SavedPreferences } from '#contract/preferences.ts';
import type { LogItem } from '#contract/socket.ts';
import { createNoisyGauge, type NoisyGauge } from '#server/base/noisy-gauge.ts';
import { gaugeStep } from '#server/base/served-metrics.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import { createActivity, type Activity } from './activity.ts';
import { encodeFrame, encodePreferences, type EncodedEvents, type EncodedFrame } from './frames.ts';

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
  notifyModerationChanged(): void;
  /**
   * Who the account is in the class may have changed: its role of staff, its sanction, or all ids when the links of the class are
   * removed.
   */
  recheckMember(classId: string): Promise<void>;
  /** The account has read up to this seq on another device. */
  notifyRead(classId: string, seq: number): void;
  notifyPreferences(classId: string, frame: EncodedFrame): void;
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
  /** Subscribes only to what changes unread counts. */
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
  /** Whether the account has the class in view on any device. */
  isViewing(accountId: string, classId: string): boolean;
  /** Every class that an account has in view here. */
  listViewed(): { accountId: string; classId: string }[];
  /** Returns the total number of sockets and subscriptions. */
  count(): { connections: number; subscriptions: number };
  /**
   * Notifies the account's own connections that it joined or left. If it left, they end their
   * subscription.
   */
  notifyEnrollment(accountId: string, classId: string, hasJoined: boolean): void;
  /** Notifies the connections of these accounts here that they are in the class. Each node does so for its own. */
  notifyMerged(classId: string, accountIds: ReadonlySet<string>): void;
  /** The sessions of all open sockets, each once. */
  listSessions(): { accountId: string; sessionId: string }[];
  /** Notifies the account's other connections of its position in a class. */
  notifyRead(from: Pick<Connection, 'accountId'>, classId: string, seq: number): void;
  /** The connections read again who their account is in the class. Those of a removed member end their subscription. */
  recheckMembers(classId: string): Promise<void>;
  /** Notifies the connections of these accounts that a case or their roles changed. */
  notifyModerationChanged(accountIds: readonly string[]): void;
  /** Notifies all connections of the account of its preferences in a class. */
  notifyPreferences(accountId: string, classId: string, preferences: SavedPreferences): void;
  /** Sends the announcements to all connections (null), or to the members who have the class open. */
  publishAnnouncements(classId: string | null, frame: EncodedFrame): void;
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
  /** What is committed after the result is there, and what is published from now on, reaches the subscriber. */
  subscribe(classId: string, subscriber: Subscriber): Promise<void>;
  /** Subscribes only to what changes unread counts. */
  follow(classId: string, follower: ActivityFollower): Promise<void>;
  /** Publishes one commit's items of one class, in log order. */
  publish(classId: string, items: readonly LogItem[]): void;
  /** Publishes what the log has and no one has published. */
  publishLog(classId: string): Promise<void>;
  /** Resolves when no read of the log is in progress. */
  stop(): Promise<void>;
}

const typingIntervalMs = 2000; // LIMIT-44

type Subscriptions = Pick<
  LocalHub,
  'subscribe' | 'unsubscribe' | 'follow' | 'unfollow' | 'notifyTyping' | 'deliver'
>;
type ConnectionNotifier = Omit<LocalHub, keyof Subscriptions | 'count' | 'publishAnnouncements'>;

export function createLocalHub(metrics?: Pick<WorkCounter, 'count'>): LocalHub {
  const subscribers = new Map<string, Set<Subscriber>>();
  const followers = new Map<string, Set<ActivityFollower>>();
  const connections = new Map<string, Set<Connection>>();
  return {
    ...createSubscriptions(subscribers, followers, metrics),
    ...createConnectionNotifier(connections),
    count: () => ({
      connections: countMembers(connections),
      subscriptions: countMembers(subscribers) + countMembers(followers),
    }),
    publishAnnouncements(classId, frame) {
      if (classId === null) {
        for (const connection of listMembers(connections)) connection.notifyAnnouncements(frame);
      } else {
        // Before it is live, a subscription may not have checked the membership. Its `live` frame has them.
        for (const subscriber of subscribers.get(classId) ?? []) subscriber.receiveVolatile(frame);
      }
    },
  };
}

/** Delivers what happens in a class to its subscribers and followers. */
function createSubscriptions(
  subscribers: Map<string, Set<Subscriber>>,
  followers: Map<string, Set<ActivityFollower>>,
  metrics?: Pick<WorkCounter, 'count'>,
): Subscriptions {
  /** The time of each class's last typing notice, and the typing subscriber that did not get it. */
  const typingNotices = new Map<string, { sentAt: number; missedBy: Subscriber | null }>();
  const coarseSizes = new WeakMap<ReadonlySet<unknown>, NoisyGauge>();

  /** The number that the metrics count. The exact one, times many messages, would tell whether a classmate is online. METRIC-10 */
  function renewCoarseSize(receivers: ReadonlySet<unknown>): number {
    const coarse = coarseSizes.get(receivers) ?? createNoisyGauge(gaugeStep);
    coarseSizes.set(receivers, coarse);
    return coarse.renew(receivers.size);
  }

  /** If two members type, each must see that the other does: so the first one also gets the notice, once. */
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
        metrics?.count('deliveries', 'events', renewCoarseSize(classSubscribers));
      }
      const classFollowers = followers.get(classId);
      if (!classFollowers) return;
      const activity = createActivity(classId, { ...events, items: events.items() });
      for (const follower of classFollowers) follower.receiveActivity(activity);
      metrics?.count('deliveries', 'notices', renewCoarseSize(classFollowers));
    },
  };
}

/** @param connections the open connections of each account */
function createConnectionNotifier(connections: Map<string, Set<Connection>>): ConnectionNotifier {
  const listConnections = (accountId: string) => [...(connections.get(accountId) ?? [])];
  let closings = 0;

  return {
    connect: (connection) => addTo(connections, connection.accountId, connection),
    disconnect: (connection) => removeFrom(connections, connection.accountId, connection),
    countConnections: (accountId) => connections.get(accountId)?.size ?? 0,
    countByAccount: () => new Map(Array.from(connections, ([id, { size }]) => [id, size])),
    isViewing: (accountId, classId) =>
      listConnections(accountId).some((connection) => connection.getViewedClass() === classId),
    listViewed: () =>
      listMembers(connections).flatMap((connection) => {
        const classId = connection.getViewedClass();
        return classId === null ? [] : { accountId: connection.accountId, classId };
      }),
    listSessions() {
      const accountIds = new Map(
        listMembers(connections).map(({ sessionId, accountId }) => [sessionId, accountId]),
      );
      return [...accountIds].map(([sessionId, accountId]) => ({ accountId, sessionId }));
    },
    notifyEnrollment(accountId, classId, hasJoined) {
      for (const connection of listConnections(accountId)) {
        connection.notifyEnrollment(classId, hasJoined);
      }
    },
    notifyMerged(classId, accountIds) {
      for (const connection of listMembers(connections)) {
        if (accountIds.has(connection.accountId)) connection.notifyEnrollment(classId, true);
      }
    },
    notifyRead(from, classId, seq) {
      for (const connection of connections.get(from.accountId) ?? []) {
        if (connection !== from) connection.notifyRead(classId, seq);
      }
    },
    notifyPreferences(accountId, classId, preferences) {
      const frame = encodePreferences({ type: 'preferences', classId, ...preferences });
      for (const connection of listConnections(accountId)) {
        connection.notifyPreferences(classId, frame);
      }
    },
    notifyClassDeleted(classId) {
      for (const connection of listMembers(connections)) connection.notifyClassDeleted(classId);
    },
    async recheckMembers(classId) {
      await Promise.all(
        listMembers(connections).map((connection) => connection.recheckMember(classId)),
      );
    },
    notifyModerationChanged(accountIds) {
      for (const accountId of accountIds) {
        for (const connection of listConnections(accountId)) connection.notifyModerationChanged();
      }
    },
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
      for (const connection of listMembers(connections)) {
        if (connection.expiresAt <= now) connection.signOut();
      }
    },
    shutDown() {
      closings += 1;
      for (const connection of listMembers(connections)) connection.shutDown();
    },
    countClosings: () => closings,
  };
}

/** A copy, because members may leave while the caller iterates. */
function listMembers<Value>(sets: ReadonlyMap<string, ReadonlySet<Value>>): Value[] {
  return [...sets.values()].flatMap((set) => [...set]);
}

function countMembers(sets: ReadonlyMap<string, ReadonlySet<unknown>>): number {
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
