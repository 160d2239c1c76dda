// What a node knows of the sockets at other nodes: which accounts have many sockets, for LIMIT-27, and who has a class in view,
// so that no notification is sent about the class. Each node sends all of this every two seconds, and the end of a view
// immediately, so that the next message causes a notification.
import type { LocalHub } from '#server/live/hub.ts';
import type { Notices } from './notices.ts';

export interface PresenceElsewhere {
  /** The sockets that the account had at other nodes a moment ago; 0 if they are few. */
  countSockets(accountId: string): number;
  isViewing(accountId: string, classId: string): boolean;
  /** Tells whether another node sends notifications. */
  hasNotifier(): boolean;
  /**
   * Calls the listener when the node that sends notifications has disappeared without a notice. The listener gets the time of the
   * node's last notice, by `performance.now()`.
   */
  onNotifierLost(listener: (lastNoticeAt: number) => void): void;
  stop(): void;
}

interface Presence {
  receivedAt: number;
  isNotifier: boolean;
  sockets: ReadonlyMap<string, number>;
  viewed: Set<string>;
}

/**
 * The interval of notices. The rate limit `sockets`, which all nodes share, bounds how many sockets an account can open in
 * between.
 */
const intervalMs = 2_000;
/** The time after which a silent node counts as killed, so that it has no sockets. */
const forgetAfterMs = 3 * intervalMs;
/** The least number of sockets for which a node names an account. Accounts with fewer are far from the limit. */
const manySockets = 10;

const toViewKey = (account: string, classId: string) => `${account} ${classId}`;

/** @param isNotifier tells whether this node sends notifications */
export function watchPresence(
  local: Pick<LocalHub, 'countByAccount' | 'listViewed'>,
  notices: Notices,
  isNotifier: () => boolean,
): PresenceElsewhere {
  const presences = new Map<string, Presence>();

  notices.onNotice((notice, node) => {
    const viewed = presences.get(node)?.viewed;
    if (notice.kind === 'viewed') {
      viewed?.add(toViewKey(notices.deriveAccountKey(notice.accountId), notice.classId));
    } else if (notice.kind === 'viewEnded') {
      viewed?.delete(toViewKey(notice.account, notice.classId));
    }
    if (notice.kind !== 'presence') return;
    const isNew = !presences.has(node);
    presences.set(node, {
      receivedAt: performance.now(),
      isNotifier: notice.isNotifier,
      sockets: new Map(notice.sockets),
      viewed: new Set(notice.viewed),
    });
    if (isNew) sendPresence();
  });

  const lostListeners: ((lastNoticeAt: number) => void)[] = [];

  function forgetSilentNodes(): void {
    const oldestTime = performance.now() - forgetAfterMs;
    for (const [node, { receivedAt, isNotifier: wasNotifier }] of presences) {
      if (receivedAt >= oldestTime) continue;
      presences.delete(node);
      // If the node was killed, it may not have sent its last notices.
      notices.reportGap();
      if (wasNotifier) for (const listener of lostListeners) listener(receivedAt);
    }
  }

  function sendPresence(): void {
    forgetSilentNodes();
    const sockets = [...local.countByAccount()]
      .filter(([, count]) => count >= manySockets)
      .map(([accountId, count]) => [notices.deriveAccountKey(accountId), count] as const);
    const viewed = local
      .listViewed()
      .map(({ accountId, classId }) => toViewKey(notices.deriveAccountKey(accountId), classId));
    notices.send({ kind: 'presence', isNotifier: isNotifier(), sockets, viewed });
  }

  notices.onGap(sendPresence);
  const timer = setInterval(sendPresence, intervalMs);

  return {
    countSockets(accountId) {
      if (presences.size === 0) return 0;
      const key = notices.deriveAccountKey(accountId);
      let count = 0;
      for (const { sockets } of presences.values()) count += sockets.get(key) ?? 0;
      return count;
    },
    isViewing(accountId, classId) {
      const view = toViewKey(notices.deriveAccountKey(accountId), classId);
      return [...presences.values()].some(({ viewed }) => viewed.has(view));
    },
    hasNotifier: () => [...presences.values()].some((presence) => presence.isNotifier),
    onNotifierLost: (listener) => void lostListeners.push(listener),
    stop() {
      clearInterval(timer);
      // From now on, another node sends notifications.
      notices.send({ kind: 'presence', isNotifier: false, sockets: [], viewed: [] });
    },
  };
}
