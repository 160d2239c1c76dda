// What a node knows of the sockets at the others: which accounts have many of them, for LIMIT-27, and who has a class in
// view, so that no notification is sent about it. Each node tells all of it every two seconds, and the end of a view
// immediately: a message right after it is to notify.
import type { LocalHub } from '#server/live/hub.ts';
import type { Notices } from './notices.ts';

export interface PresenceElsewhere {
  /** The sockets that the account had at other nodes a moment ago; 0 if they are few. */
  countSockets(accountId: string): number;
  isViewing(accountId: string, classId: string): boolean;
  /** Whether another node takes care of notifications. */
  hasNotifier(): boolean;
  /**
   * Calls the listener when the node that takes care of notifications is gone without a word, with the time of its last
   * sign of life by `performance.now()`.
   */
  onNotifierLost(listener: (lastSignAt: number) => void): void;
  stop(): void;
}

interface Dependencies {
  local: Pick<LocalHub, 'countByAccount' | 'listViewed'>;
  notices: Notices;
  /** Whether this node takes care of notifications. */
  isNotifier(): boolean;
}

interface Presence {
  toldAt: number;
  isNotifier: boolean;
  sockets: ReadonlyMap<string, number>;
  viewed: Set<string>;
}

/** The rate limit `sockets`, which all nodes share, bounds what an account can open in between. */
const intervalMs = 2_000;
/** A node that was killed has no sockets. */
const forgetAfterMs = 3 * intervalMs;
/** Accounts with fewer sockets at a node are not named to the others: they are far from the limit. */
const manySockets = 10;

const toViewKey = (account: string, classId: string) => `${account} ${classId}`;

export function watchPresence({ local, notices, isNotifier }: Dependencies): PresenceElsewhere {
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
      toldAt: performance.now(),
      isNotifier: notice.isNotifier,
      sockets: new Map(notice.sockets),
      viewed: new Set(notice.viewed),
    });
    if (isNew) tell();
  });

  const lostListeners: ((lastSignAt: number) => void)[] = [];

  function forgetSilent(): void {
    const oldest = performance.now() - forgetAfterMs;
    for (const [node, { toldAt, isNotifier: wasNotifier }] of presences) {
      if (toldAt >= oldest) continue;
      presences.delete(node);
      if (wasNotifier) for (const listener of lostListeners) listener(toldAt);
    }
  }

  function tell(): void {
    forgetSilent();
    const sockets = [...local.countByAccount()]
      .filter(([, count]) => count >= manySockets)
      .map(([accountId, count]) => [notices.deriveAccountKey(accountId), count] as const);
    const viewed = local
      .listViewed()
      .map(({ accountId, classId }) => toViewKey(notices.deriveAccountKey(accountId), classId));
    notices.send({ kind: 'presence', isNotifier: isNotifier(), sockets, viewed });
  }

  notices.onGap(tell);
  const timer = setInterval(tell, intervalMs);

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
      // The others take care of notifications now.
      notices.send({ kind: 'presence', isNotifier: false, sockets: [], viewed: [] });
    },
  };
}
