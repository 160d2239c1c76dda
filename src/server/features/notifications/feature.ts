// Notifications: push messages to the devices of members who are away, and a daily mail that counts what they missed.
// They follow commits, so that a slow push service delays no message. No message writes a row for them: the time of the
// row would name the account behind a persona (decisions 50 and 54).
import type { Feature, Server } from '#server/feature.ts';
import type { ModeratorNews } from './compose.ts';
import { createDigestLinks } from './digest/digest-links.ts';
import { createProgressStore } from './digest/digest-progress.ts';
import { Digests } from './digest/digests.ts';
import { createRecentActivity, type RecentActivity } from './digest/recent-activity.ts';
import { findDigestAddress, listMissed, type MissedDependencies } from './missed.ts';
import { shareActivity } from './nodes/share-activity.ts';
import { shareNotifier } from './nodes/share-notifier.ts';
import { connectPush } from './push/notifications.ts';
import type { Notifier } from './push/notifier.ts';
import { registerNotificationRoutes } from './routes.ts';

export type Notifications = Awaited<ReturnType<typeof createNotifications>>;

type Dependencies = Pick<
  Server,
  | 'config'
  | 'db'
  | 'accountCommits'
  | 'keys'
  | 'accountRecords'
  | 'sessionRecords'
  | 'hub'
  | 'nodes'
  | 'memberships'
  | 'readMarks'
  | 'preferences'
  | 'roles'
  | 'suspendedAccounts'
  | 'metrics'
  | 'log'
>;

export async function createNotifications(dependencies: Dependencies) {
  const { config, db, accountCommits, keys, hub, nodes } = dependencies;
  const { notifier, choices, subscriptions, publicKey, stop } = await connectNotifier(dependencies);
  const localActivity = createRecentActivity();
  const activity = nodes ? shareActivity(localActivity, nodes.notices) : localActivity;
  const missedDependencies: MissedDependencies = {
    ...dependencies,
    personaKey: keys.personas,
    isActive: activity.isActive,
    isViewing: hub.isViewing,
  };
  const links = createDigestLinks(keys.digest.links, config.publicUrl.origin);
  const whyNoDigest = config.mail.kind === 'smtp' ? 'off' : 'noMail';
  return {
    choices,
    links,
    missedDependencies,
    recordActivity: activity.note,
    readSubscribed: (accountId: string) => subscriptions.readSubscribed(accountId),
    countWaiting: () => notifier.countWaiting(),
    notifyModerator: (accountId: string, news: ModeratorNews) =>
      notifier.notifyModerator(accountId, news),
    isDigestWanted: async (accountId: string, address: string) =>
      config.digest !== null &&
      (await findDigestAddress(missedDependencies, accountId)) === address,
    readingListener: createReadingListener(notifier, activity),
    routes: (route) =>
      registerNotificationRoutes(route, {
        db,
        personaKey: keys.personas,
        choices,
        subscriptions,
        publicKey,
        endDigest: (token) => choices.saveDigest(accountCommits, links.openToken(token), false),
        digestUnavailable: config.digest ? null : whyNoDigest,
      }),
    load: () => subscriptions.reload(),
    onLogAppended: (classId, items) => notifier.onLogAppended(classId, items),
    onAnswerMarked: ({ classId, seq, answerId, author, asker }) =>
      notifier.onAnswerMarked(classId, {
        id: answerId,
        seq,
        createdAt: Date.now(),
        author,
        mentioned: [],
        quotedMemberId: null,
        asker,
      }),
    onSessionEnded: (sessionId) => subscriptions.forget(sessionId),
    stop,
  } satisfies Feature & Record<string, unknown>;
}

/** Connects what sends push messages. If there are several nodes, one of them sends the notifications of all. */
async function connectNotifier(dependencies: Dependencies) {
  const { accountCommits, keys, nodes } = dependencies;
  const push = await connectPush({
    ...dependencies,
    commits: accountCommits,
    keys: keys.notifications,
    personaKey: keys.personas,
    isSuspended: dependencies.suspendedAccounts.isIdSuspended,
    nodeNotices: nodes?.notificationNotices,
  });
  if (!nodes) return push;
  const notifier = shareNotifier({
    local: push.notifier,
    subscriptions: push.subscriptions,
    notices: nodes.notices,
    isViewingHere: nodes.isViewingHere,
    onNotifierLost: nodes.onNotifierLost,
    isDoneElsewhere: nodes.isNotifyingElsewhere,
  });
  return { ...push, notifier };
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
  server: Pick<
    Server,
    'config' | 'db' | 'accountCommits' | 'keys' | 'epoch' | 'mails' | 'lease' | 'log'
  >,
  notifications: Pick<Notifications, 'choices' | 'links' | 'missedDependencies'>,
): Feature | null {
  const { choices, links, missedDependencies } = notifications;
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
        findAddress: (accountId) => findDigestAddress(missedDependencies, accountId),
        listMissed: (accountId) => listMissed(missedDependencies, accountId),
        settings: { appName: config.appName, origin: config.publicUrl.origin },
      });
      return () => digests.stop();
    },
  };
}
