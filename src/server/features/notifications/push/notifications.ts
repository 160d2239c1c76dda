// Creates the parts that send push messages and connects them.
import { toContactUrl } from '#contract/contact-url.ts';
import type { Server } from '#server/feature.ts';
import type { NotificationServer } from '#server/features/notifications/compose.ts';
import { NotificationChoices } from '#server/features/notifications/settings.ts';
import { createDelivery } from './deliver.ts';
import { LocalNotifier } from './notifier.ts';
import { createPushSender } from './push-service.ts';
import { PushSubscriptions } from './subscriptions.ts';
import { createVapidKeys } from './vapid.ts';

/** The time that `stop` gives to running requests. */
const stopTimeoutMs = 2_000;

export async function connectPush(server: NotificationServer) {
  const { config } = server;
  const { topics, vapid: vapidKey } = server.site.keys.notifications;
  const choices = new NotificationChoices(server);
  const subscriptions = await PushSubscriptions.load(server);
  const stopping = new AbortController();
  const vapid = createVapidKeys(vapidKey, toSubject(config));
  const send = createPushSender(vapid, stopping.signal);
  const delivery = createDelivery(subscriptions, send, topics);
  const notifier = new LocalNotifier(server, choices, subscriptions, delivery);
  return {
    choices,
    subscriptions,
    notifier,
    publicKey: config.push.hosts.length > 0 ? vapid.publicKey : null,
    async stop() {
      const timeout = setTimeout(() => stopping.abort(), stopTimeoutMs);
      await notifier.stop();
      clearTimeout(timeout);
      await subscriptions.stop();
    },
  };
}

/** Push services contact the operator there about problems. */
function toSubject({ supportContact, publicUrl }: Server['config']): string {
  return supportContact ? toContactUrl(supportContact) : publicUrl.origin;
}
