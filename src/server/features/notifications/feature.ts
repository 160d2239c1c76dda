// Notifications: push messages to the devices of members who are away, and a daily mail that counts what they missed.
// They follow commits, so that a slow push service delays no message. No message writes a row for them: the time of the
// row would name the account behind a persona (decisions 50 and 54).
import type { Feature, Server } from '#server/feature.ts';
import type { Nodes } from '#server/nodes/open-nodes.ts';
import type { ModeratorNews, NotificationServer } from './compose.ts';
import { createDigestLinks } from './digest/digest-links.ts';
import { createProgressStore } from './digest/digest-progress.ts';
import { Digests } from './digest/digests.ts';
import { createRecentActivity, type RecentActivity } from './digest/recent-activity.ts';
import { findDigestRecipient, listMissed } from './missed.ts';
import { shareActivity } from './nodes/share-activity.ts';
import { shareNotifier } from './nodes/share-notifier.ts';
import { connectPush } from './push/notifications.ts';
import type { Notifier } from './push/notifier.ts';
import { registerNotificationRoutes } from './routes.ts';

export type Notifications = Awaited<ReturnType<typeof createNotifications>>;

export async function createNotifications(server: NotificationServer) {
  const { config, nodes } = server;
  const { keys } = server.site;
  const push = await connectPush(server);
  const { choices, subscriptions } = push;
  const notifier = nodes ? connectNodes(nodes, push) : push.notifier;
  const localActivity = createRecentActivity();
  const activity = nodes ? shareActivity(localActivity, nodes.notices) : localActivity;
  const links = createDigestLinks(keys.digest.links, config.publicUrl.origin);
  return {
    choices,
    links,
    activity,
    recordActivity: activity.note,
    readSubscribed: (accountId: string) => subscriptions.readSubscribed(accountId),
    countWaiting: () => notifier.countWaiting(),
    notifyModerator: (accountId: string, news: ModeratorNews) =>
      notifier.notifyModerator(accountId, news),
    isDigestWanted: async (accountId: string, address: string) =>
      config.digest !== null &&
      (await findDigestRecipient(server, activity, accountId))?.to === address,
    readingListener: createReadingListener(notifier, activity),
    routes: (route) =>
      registerNotificationRoutes(route, server, push, (token) =>
        choices.saveDigest(server.accountCommits, links.openToken(token), false),
      ),
    load: () => subscriptions.reload(),
    onLogAppended: (classId, items) => notifier.onLogAppended(classId, items),
    onAnswerMarked: ({ classId, seq, answerId, author, askerMemberId }) =>
      notifier.onDirected(classId, {
        id: answerId,
        seq,
        createdAt: Date.now(),
        author,
        mentioned: [],
        quotedMemberId: null,
        asker: askerMemberId,
      }),
    onPrivateQuestions({ classId, notifiedIds }) {
      for (const accountId of [...notifiedIds].filter((id) => subscriptions.has(id))) {
        notifier.onDirected(classId, {
          id: '',
          seq: Number.MAX_SAFE_INTEGER,
          createdAt: Date.now(),
          author: '',
          mentioned: [],
          quotedMemberId: null,
          asker: accountId,
          isPrivate: true,
        });
      }
    },
    onSessionEnded: (sessionId) => subscriptions.forget(sessionId),
    stop: push.stop,
  } satisfies Feature & Record<string, unknown>;
}

/** One of the nodes sends the notifications of all. */
function connectNodes(
  nodes: Nodes,
  { notifier, subscriptions }: Awaited<ReturnType<typeof connectPush>>,
): Notifier {
  return shareNotifier({
    local: notifier,
    subscriptions,
    notices: nodes.notices,
    isViewingHere: nodes.isViewingHere,
    onNotifierLost: nodes.onNotifierLost,
    isDoneElsewhere: nodes.isNotifyingElsewhere,
  });
}

/** Creates what the hub calls when an account views or reads a class. */
function createReadingListener(notifier: Notifier, activity: RecentActivity) {
  return {
    onViewed(accountId: string, classId: string) {
      activity.note(accountId);
      notifier.onViewed(accountId, classId);
    },
    onViewEnded: (accountId: string, classId: string) => notifier.onViewEnded(accountId, classId),
    onRead(accountId: string, classId: string, seq: number) {
      activity.note(accountId);
      notifier.onRead(accountId, classId, seq);
    },
  };
}

/** @returns null if the operator turned the daily mail off */
export function createDigests(
  server: Server,
  { choices, links, activity }: Pick<Notifications, 'choices' | 'links' | 'activity'>,
): Feature | null {
  const { config, accountCommits, keys, epoch } = server;
  const { digest } = config;
  if (!digest) return null;
  return {
    start() {
      const digests = new Digests({
        ...server,
        commits: accountCommits,
        links,
        time: digest,
        orderKey: keys.digest.order,
        progress: createProgressStore(keys.digest.order, epoch),
        listAccounts: () => choices.listDigestAccounts(),
        findRecipient: (accountId) => findDigestRecipient(server, activity, accountId),
        listMissed: (accountId) => listMissed(server, accountId),
        settings: { appName: config.appName, origin: config.publicUrl.origin },
      });
      return () => digests.stop();
    },
  };
}
