// Notifications of all nodes are sent by one of them, the holder of the background lease: it alone knows which
// notifications are open, so a class notifies a member once (PUSH-15). The others tell it about messages and about
// what was read. Without Redis, each node notifies about the messages of its own commits.
import { toNewMessages, type NewMessage } from '#server/chat/messages/new-messages.ts';
import type { Notifier } from '#server/features/notifications/push/notifier.ts';
import type { PushSubscriptions } from '#server/features/notifications/push/subscriptions.ts';
import type { Notices } from '#server/nodes/notices.ts';
import type { PresenceElsewhere } from '#server/nodes/presence-elsewhere.ts';

export interface NotifierDependencies {
  local: Notifier;
  subscriptions: Pick<PushSubscriptions, 'has' | 'isEmpty' | 'reload' | 'followGone'>;
  notices: Notices;
  /** Whether the account has the class in view at this node. */
  isViewingHere(accountId: string, classId: string): boolean;
  /** Whether another node, which hears this one, takes care of notifications. */
  isDoneElsewhere(): boolean;
  onNotifierLost: PresenceElsewhere['onNotifierLost'];
}

interface Delegated {
  delegatedAt: number;
  classId: string;
  messages: readonly NewMessage[];
}

/** Longer than the other nodes need to miss one that was killed. */
const rememberedMs = 10_000;

export function shareNotifier(dependencies: NotifierDependencies): Notifier {
  const { local, subscriptions, notices, isViewingHere, isDoneElsewhere } = dependencies;
  /** What the notifying node was told. If it was killed, it may not have notified. */
  let delegated: Delegated[] = [];

  /** Messages wait for it: their recipients may have just turned on notifications. */
  let reloading: Promise<void> = Promise.resolve();

  notices.onNotice((notice) => {
    const { kind } = notice;
    if (kind === 'messages') {
      void reloading.then(() => {
        if (!isDoneElsewhere()) local.onMessages(notice.classId, notice.messages);
      });
    } else if (kind === 'viewed') local.onViewed(notice.accountId, notice.classId);
    else if (kind === 'readUpTo') local.onRead(notice.accountId, notice.classId, notice.seq);
    else if (kind === 'subscription') reloading = subscriptions.reload(notice.sessionId);
    else if (kind === 'subscriptionGone') subscriptions.followGone(notice.sessionId);
  });
  dependencies.onNotifierLost((lastSignAt) => {
    const lostDelegations = delegated.filter(({ delegatedAt }) => delegatedAt >= lastSignAt);
    delegated = [];
    for (const { classId, messages } of lostDelegations) local.onMessages(classId, messages);
  });
  notices.onGap(() => {
    reloading = subscriptions.reload();
  });

  function sendToNotifier(classId: string, messages: readonly NewMessage[]): void {
    if (messages.length === 0) return;
    notices.send({ kind: 'messages', classId, messages });
    const now = performance.now();
    delegated = delegated.filter(({ delegatedAt }) => delegatedAt > now - rememberedMs);
    delegated.push({ delegatedAt: now, classId, messages });
  }

  return {
    onMessages: (classId, messages) => local.onMessages(classId, messages),
    notifyModerator: (accountId, news) => local.notifyModerator(accountId, news),
    countWaiting: () => local.countWaiting(),
    stop: () => local.stop(),
    onLogAppended(classId, items) {
      if (!isDoneElsewhere()) return local.onLogAppended(classId, items);
      if (!subscriptions.isEmpty()) sendToNotifier(classId, toNewMessages(items));
    },
    onDirected(classId, message) {
      if (!isDoneElsewhere()) return local.onDirected(classId, message);
      if (!subscriptions.isEmpty()) sendToNotifier(classId, [message]);
    },
    onViewed(accountId, classId) {
      local.onViewed(accountId, classId);
      if (subscriptions.has(accountId)) notices.send({ kind: 'viewed', accountId, classId });
    },
    onViewEnded(accountId, classId) {
      if (isViewingHere(accountId, classId)) return;
      // Also without notifications: they may be turned on before the others learn of the end in another way.
      notices.send({ kind: 'viewEnded', account: notices.deriveAccountKey(accountId), classId });
    },
    onRead(accountId, classId, seq) {
      local.onRead(accountId, classId, seq);
      if (subscriptions.has(accountId)) notices.send({ kind: 'readUpTo', accountId, classId, seq });
    },
  };
}
