// Creates the parts that send push messages and connects them.
import type { KeyObject } from 'node:crypto';
import type { AccountRecords } from '#server/accounts/account-records.ts';
import type { SessionRecords } from '#server/accounts/session-records.ts';
import { toContactUrl } from '#contract/contact-url.ts';
import type { Config } from '#server/config/config-types.ts';
import {
  composeModeratorNews,
  composeNotification,
} from '#server/features/notifications/compose.ts';
import { NotificationChoices } from '#server/features/notifications/settings.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { PreferenceStore } from '#server/chat/members/preferences.ts';
import type { ReadMarks } from '#server/chat/members/read-marks.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import type { Memberships } from '#server/chat/members/memberships.ts';
import type { Hub } from '#server/live/hub.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { createDelivery } from './deliver.ts';
import { LocalNotifier } from './notifier.ts';
import { createPushSender } from './push-service.ts';
import { PushSubscriptions } from './subscriptions.ts';
import { createVapidKeys } from './vapid.ts';

interface Dependencies {
  config: Pick<Config, 'push' | 'supportContact' | 'publicUrl' | 'emailVerification'>;
  db: Database;
  /** The commit queue for changes of accounts. */
  commits: CommitQueue;
  keys: { subscriptions: KeyObject; topics: KeyObject; vapid: KeyObject };
  accountRecords: AccountRecords;
  sessionRecords: SessionRecords;
  personaKey: KeyObject;
  hub: Pick<Hub, 'isViewing'>;
  memberships: Memberships;
  readMarks: ReadMarks;
  preferences: PreferenceStore;
  roles: Roles;
  isSuspended(accountId: string): boolean;
  /** Notifies the other nodes; missing on a single server. */
  nodeNotices?: {
    onSubscription(sessionId: string): void;
    onSubscriptionGone(sessionId: string): void;
  };
  log: Log;
  metrics: Pick<WorkCounter, 'count'>;
}

/** The time that `stop` gives to running requests. */
const stopTimeoutMs = 2_000;

export async function connectPush(dependencies: Dependencies) {
  const { config, keys, hub } = dependencies;
  const { hosts, maxDelayMs } = config.push;
  const choices = new NotificationChoices(dependencies);
  const subscriptions = await PushSubscriptions.load({
    ...dependencies,
    hosts,
    key: keys.subscriptions,
    isVerificationRequired: config.emailVerification === 'required',
    onChanged: dependencies.nodeNotices?.onSubscription,
    onGone: dependencies.nodeNotices?.onSubscriptionGone,
  });
  const stopping = new AbortController();
  const vapid = createVapidKeys(keys.vapid, toSubject(config));
  const composeParts = { ...dependencies, choices, isViewing: hub.isViewing };
  const notifier = new LocalNotifier({
    ...dependencies,
    subscriptions,
    maxDelayMs,
    isViewing: hub.isViewing,
    compose: (to, messages) => composeNotification(composeParts, to, messages),
    composeNews: (accountId, news) => composeModeratorNews(composeParts, accountId, news),
    deliver: createDelivery({
      subscriptions,
      send: createPushSender(vapid, stopping.signal),
      topicKey: keys.topics,
    }),
  });
  return {
    choices,
    subscriptions,
    notifier,
    publicKey: hosts.length > 0 ? vapid.publicKey : null,
    async stop() {
      const timeout = setTimeout(() => stopping.abort(), stopTimeoutMs);
      await notifier.stop();
      clearTimeout(timeout);
      await subscriptions.stop();
    },
  };
}

/** Push services contact the operator there about problems. */
function toSubject({ supportContact, publicUrl }: Dependencies['config']): string {
  return supportContact ? toContactUrl(supportContact) : publicUrl.origin;
}
