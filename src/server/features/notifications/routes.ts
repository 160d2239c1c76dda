// The calls of an account about its notifications.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { CallReply } from '#contract/http.ts';
import { memberOf } from '#server/chat/members/membership.ts';
import type { NotificationChoices } from './settings.ts';
import type { PushSubscriptions } from './push/subscriptions.ts';
import type { Database } from '#server/store/tables.ts';
import type { DigestLinks } from './digest/digest-links.ts';
import type { Route } from '#server/http/route.ts';

interface Parts {
  db: Database;
  personaKey: KeyObject;
  choices: NotificationChoices;
  subscriptions: PushSubscriptions;
  /** The server's public key; null if push is turned off. */
  publicKey: string | null;
  links: DigestLinks;
  /** Why there are no digests; null if there are. */
  digestUnavailable: CallReply<'readNotifications'>['digestUnavailable'];
}

export function notificationRoutes(route: Route, parts: Parts): void {
  const { db, personaKey, choices, subscriptions, publicKey, links, digestUnavailable } = parts;

  route('readNotifications', 'signedIn', async ({ account }) => {
    const { digest, ...notifications } = await choices.readSettings(account.id);
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

  route('saveNotifications', 'signedIn', async ({ account, body }) => {
    await choices.saveSettings(account.id, body);
    return {};
  });

  route('saveDigest', 'signedIn', async ({ account, body: { digest } }) => {
    if (digest && digestUnavailable !== null) {
      throw new AppError('NOT_ALLOWED', 'This server sends no daily email.');
    }
    await choices.saveDigest(account.id, digest);
    return {};
  });

  // The link itself is the right to use it: a mail program has no session. DIGEST-9
  route('unsubscribeDigest', 'public', async ({ query: { token } }) => {
    await choices.saveDigest(links.accountOf(token), false);
    return {};
  });

  route('subscribePush', 'signedIn', async ({ account, body }) => {
    await subscriptions.save(account, body);
    return {};
  });

  route('unsubscribePush', 'signedIn', async ({ account }) => {
    await subscriptions.remove(account);
    return {};
  });

  route('chooseNotifications', 'signedIn', async ({ account, params: { classId }, body }) => {
    await memberOf(db, personaKey, account.id, classId);
    await choices.choose(account.id, classId, body.notify);
    return {};
  });
}
