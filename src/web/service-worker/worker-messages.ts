// The messages between pages and the service worker, and code that both use. A message with a port gets a reply.
import type { PushSubscription as SubscriptionBody } from '#contract/notifications.ts';

/** The tags of notifications for moderators. Those of classes have the classId as their tag. */
export const moderatorTags = { threat: 'threat', work: 'work' } as const;

/** A message that a page sends to the service worker. */
export type PageMessage =
  /** Tells a new version to take over from the previous one. */
  | { type: 'activate' }
  /** Does this version have the file? The reply is a boolean. */
  | { type: 'has-file'; path: string };

/** The service worker says that the member clicked on a notification. The page replies with true. */
export interface OpenPath {
  type: 'open-path';
  path: string;
}

/** @returns the reply, or null if none comes in this time */
export function askWithPort<Reply>(
  target: { postMessage(message: unknown, transfer: Transferable[]): void },
  message: PageMessage | OpenPath,
  timeoutMs: number,
): Promise<Reply | null> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => finish(null), timeoutMs);
    const finish = (reply: Reply | null) => {
      clearTimeout(timer);
      port1.close();
      resolve(reply);
    };
    port1.addEventListener('message', ({ data }: MessageEvent<Reply>) => finish(data));
    port1.start();
    target.postMessage(message, [port2]);
  });
}

/** What the server needs to know of the browser's subscription. */
export function toSubscriptionBody(subscription: PushSubscription): SubscriptionBody {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  return { endpoint, keys: { p256dh, auth } };
}
