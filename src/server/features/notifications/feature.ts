// Notifications: push messages to the devices of members who are away, and a daily mail that counts what they missed.
// They follow commits, so that a slow push service delays no message. No message writes a row for them: the time of the
// row would name the account behind a persona (decisions 50 and 54).
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { Feature, Server } from '#server/feature.ts';
import { createDigestLinks } from './digest/digest-links.ts';
import { createProgressStore } from './digest/digest-progress.ts';
import { startDigests } from './digest/digests.ts';
import { createRecentActivity } from './digest/recent-activity.ts';
import { findDigestAddress, listMissed, type MissedDependencies } from './missed.ts';
import { shareActivity } from './nodes/share-activity.ts';
import { shareNotifier } from './nodes/share-notifier.ts';
import { connectPush } from './push/notifications.ts';
import { registerNotificationRoutes } from './routes.ts';

export type Notifications = Awaited<ReturnType<typeof createNotifications>>;

export async function createNotifications(
  server: Pick<
    Server,
    | 'config'
    | 'db'
    | 'accountCommits'
    | 'keys'
    | 'hub'
    | 'nodes'
    | 'readMarks'
    | 'preferences'
    | 'roles'
    | 'suspendedAccounts'
    | 'metrics'
    | 'log'
  >,
) {
  const { config, db, accountCommits, keys, hub, nodes, metrics, log } = server;
  const { readMarks, preferences, roles, suspendedAccounts } = server;
  const personaKey = keys.personas;
  const push = await connectPush({
    config,
    log,
    db,
    personaKey,
    timesKey: keys.times,
    hub,
    readMarks,
    preferences,
    roles,
    isSuspended: suspendedAccounts.isIdSuspended,
    commits: accountCommits,
    keys: keys.notifications,
    nodeNotices: nodes?.notificationNotices,
    metrics,
  });
  const { choices, subscriptions, publicKey } = push;
  const notifier = nodes
    ? shareNotifier({
        local: push.notifier,
        subscriptions,
        choices,
        notices: nodes.notices,
        isViewingHere: nodes.isViewingHere,
        onNotifierLost: nodes.onNotifierLost,
        isDoneElsewhere: nodes.isNotifyingElsewhere,
      })
    : push.notifier;
  const localActivity = createRecentActivity();
  const activity = nodes ? shareActivity(localActivity, nodes.notices) : localActivity;
  const missedParts: MissedDependencies = {
    db,
    personaKey,
    readMarks,
    preferences,
    choices,
    suspendedAccounts,
    isActive: activity.isActive,
    isViewing: hub.isViewing,
  };
  const links = createDigestLinks(keys.digest.links, config.publicUrl.origin);
  const whyNoDigest = config.mail.kind === 'smtp' ? 'off' : 'noMail';
  return {
    choices,
    links,
    missedParts,
    recordActivity: activity.note,
    readSubscribed: (accountId: string) => subscriptions.readSubscribed(accountId),
    countWaiting: () => notifier.countWaiting(),
    onThreatReported: (accountId: string) => notifier.onThreatReported(accountId),
    isDigestWanted: async (accountId: string, address: string) =>
      config.digest !== null && (await findDigestAddress(missedParts, accountId)) === address,
    /** The hub calls it when an account views or reads a class. */
    readingListener: {
      onViewed(accountId: string, classId: string) {
        activity.note(accountId);
        notifier.onViewed(accountId, classId);
      },
      onViewEnded: (accountId: string, classId: string) => notifier.onViewEnded(accountId, classId),
      onRead(accountId: string, classId: string, seq: number) {
        activity.note(accountId);
        notifier.onRead(accountId, classId, seq);
      },
    },
    routes: (route) =>
      registerNotificationRoutes(route, {
        db,
        personaKey,
        choices,
        subscriptions,
        publicKey,
        endDigest: (token) => choices.saveDigest(accountCommits, links.openToken(token), false),
        digestUnavailable: config.digest ? null : whyNoDigest,
      }),
    load: () => subscriptions.reload(),
    clearCaches: () => choices.forgetAll(),
    async onChange({ kind, ref: classId }) {
      if (kind !== 'class-merged') return;
      const keptId = (await findClass(db, classId))?.mergedInto;
      if (keptId) choices.forget(keptId);
    },
    onLogAppended: (classId, items) => notifier.onLogAppended(classId, items),
    onEnrollment: (accountId, classId, isEnrolled) =>
      choices.setEnrolled(accountId, classId, isEnrolled),
    onSessionEnded: (sessionId) => subscriptions.forget(sessionId),
    stop: push.stop,
  } satisfies Feature & Record<string, unknown>;
}

/** @returns null if the operator turned the daily mail off */
export function createDigests(
  server: Pick<
    Server,
    'config' | 'db' | 'accountCommits' | 'keys' | 'epoch' | 'mails' | 'lease' | 'log'
  >,
  { choices, links, missedParts }: Pick<Notifications, 'choices' | 'links' | 'missedParts'>,
): Feature | null {
  const { config, db, accountCommits, keys, epoch, mails, lease, log } = server;
  const { digest } = config;
  if (!digest) return null;
  return {
    start: () =>
      startDigests({
        db,
        commits: accountCommits,
        mails,
        lease,
        log,
        links,
        time: digest,
        orderKey: keys.digest.order,
        progress: createProgressStore(keys.digest.order, epoch),
        listAccounts: () => choices.listDigestAccounts(),
        findAddress: (accountId) => findDigestAddress(missedParts, accountId),
        listMissed: (accountId) => listMissed(missedParts, accountId),
        settings: { appName: config.appName, origin: config.publicUrl.origin },
      }),
  };
}
