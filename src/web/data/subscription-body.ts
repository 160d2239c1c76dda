import type { PushSubscription as Body } from '#contract/notifications.ts';

/** What the server needs to know of the browser's subscription. */
export function subscriptionBody(subscription: PushSubscription): Body {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  return { endpoint, keys: { p256dh, auth } };
}
