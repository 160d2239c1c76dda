// The calls of an account about its notifications.
import { AppError } from '#contract/errors.ts';
import { getMember } from '#server/chat/members/member.ts';
import type { Server } from '#server/feature.ts';
import type { connectPush } from './push/notifications.ts';
import type { Route } from '#server/http/route.ts';

/** @param endDigest takes the token of the link in a digest */
export function registerNotificationRoutes(
  route: Route,
  server: Pick<Server, 'config' | 'db' | 'site'>,
  { choices, subscriptions, publicKey }: Awaited<ReturnType<typeof connectPush>>,
  endDigest: (token: string) => Promise<void>,
): void {
  const { config } = server;
  const whyNoDigest = config.mail.kind === 'smtp' ? 'off' : 'noMail';
  const digestUnavailable = config.digest ? null : whyNoDigest;

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
      throw new AppError('DIGEST_OFF');
    }
    await choices.saveDigest(accountCommits, account.id, digest);
    return {};
  });

  // The link itself is the right to use it: a mail program has no session. DIGEST-8
  route('unsubscribeDigest', async ({ query: { token } }) => {
    await endDigest(token);
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
    await getMember(server, account.id, classId);
    await choices.choose(commits, account.id, classId, body.notify);
    return {};
  });
}
