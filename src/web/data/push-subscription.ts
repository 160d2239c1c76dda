// This browser's subscription to notifications.
import { call } from '#web/api.ts';
import { registerWorker } from '#web/data/app-worker.ts';
import { toSubscriptionBody } from '#web/service-worker/worker-messages.ts';

/** Safari on iPhones has notifications only in an installed app. */
export function hasNotifications(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/**
 * Asks for the permission. Call it in the handler of a click, because browsers ask only then.
 *
 * @returns false if the member rejected it
 * @throws {RejectedError | NetworkError} if the server rejected the subscription
 */
export async function turnOnNotifications(publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await subscribe(publicKey);
  return true;
}

export async function turnOffNotifications(): Promise<void> {
  await call('unsubscribePush', {});
  const subscription = await findSubscription();
  await subscription?.unsubscribe();
}

/** The server may have another key pair by now, or have lost the subscription. */
export async function keepSubscription(): Promise<void> {
  const subscription = await findSubscription();
  if (!subscription || Notification.permission !== 'granted') return;
  const { publicKey, subscribed } = await call('readNotifications', {});
  if (publicKey === null) return void (await subscription.unsubscribe());
  const isCurrent = toBase64Url(subscription.options.applicationServerKey) === publicKey;
  if (!isCurrent) await subscription.unsubscribe();
  if (!isCurrent || !subscribed) await subscribe(publicKey);
}

async function findSubscription(): Promise<PushSubscription | null> {
  if (!hasNotifications()) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function subscribe(publicKey: string): Promise<void> {
  await registerWorker();
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscription = await pushManager.subscribe(options);
  await call('subscribePush', { body: toSubscriptionBody(subscription) });
}

function toBase64Url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer()));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
