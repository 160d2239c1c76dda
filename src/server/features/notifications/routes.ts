// The calls of an account about its notifications.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { getMember } from '#server/chat/members/member.ts';
import type { NotificationChoices } from './settings.ts';
import type { PushSubscriptions } from './push/subscriptions.ts';
import type { Database } from '#server/store/tables.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  choices: NotificationChoices;
  subscriptions: PushSubscriptions;
  /** The server's public key; null if push is turned off. */
  publicKey: string | null;
  /** @param token of the link in a digest */
  endDigest(token: string): Promise<void>;
  /** Why there are no digests; null if there are. */
  digestUnavailable: CallReply<'readNotifications'>['digestUnavailable'];
}

export function registerNotificationRoutes(route: Route, dependencies: Dependencies): void {
  const { db, personaKey, choices, subscriptions, publicKey, digestUnavailable } = dependencies;

  route('readNotifications', async ({ account }) => {
    const { digest, ...notifications } = await choices.getSettings(account.id);
    const subscribed = await subscriptions.readSubscribed(account.id);
    return {
      publicKey,
      subscribed: subscribed.has(account.sessionId),
      notifications,
      choices: await choices.listChosen(account.id),
      digest,
      digestUnavailable,
    };
  });

  route('saveNotifications', async ({ accountCommits, account, body }) => {
    await choices.saveSettings(accountCommits, account.id, body);
    return {};
  });

  route('saveDigest', async ({ accountCommits, account, body }) => {
    const { digest } = body;
    if (digest && digestUnavailable !== null) {
      throw new AppError('NOT_ALLOWED', 'This server sends no daily email.');
    }
    await choices.saveDigest(accountCommits, account.id, digest);
    return {};
  });

  // The link itself is the right to use it: a mail program has no session. DIGEST-9
  route('unsubscribeDigest', async ({ query: { token } }) => {
    await dependencies.endDigest(token);
    return {};
  });

  route('subscribePush', async ({ accountCommits, account, body }) => {
    await subscriptions.save(accountCommits, account, body);
    return {};
  });

  route('unsubscribePush', async ({ accountCommits, account }) => {
    await subscriptions.remove(accountCommits, account);
    return {};
  });

  route('chooseNotifications', async (incoming) => {
    const { commits, account, body } = incoming;
    const { classId } = incoming.params;
    await getMember(db, personaKey, account.id, classId);
    await choices.choose(commits, account.id, classId, body.notify);
    return {};
  });
}
