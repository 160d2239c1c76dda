// Shows notifications, and opens the page that a clicked one is about.
import { toIconPath } from '#contract/app-icons.ts';
import type { CallReply } from '#contract/http.ts';
import type { PushPayload } from '#contract/notifications.ts';
import { routes } from '#contract/routes.ts';
import { askWithPort, toSubscriptionBody, moderatorTags } from './worker-messages.ts';

declare const self: ServiceWorkerGlobalScope;

/** A page replies immediately, unless it is still loading or its member has signed out. */
const replyMs = 1000;

/** Browsers require that each push shows a notification. A second one of a class replaces the first one, silently. */
export async function showPush(data: PushMessageData | null): Promise<void> {
  const payload = parsePayload(data);
  const { classId, title, text, unread, close } = payload;
  for (const other of close) await closeNotifications(other);
  await self.registration.showNotification(title, {
    ...(text !== undefined && { body: text }),
    tag: toTag(payload),
    // Another report alerts again.
    renotify: classId === null,
    icon: toIconPath('any', 192),
    badge: toIconPath('badge', 96),
    data: toPath(classId),
  } as NotificationOptions);
  // If no message is unread, the badge has no number.
  await self.navigator.setAppBadge?.(unread || undefined).catch(() => undefined);
}

function toTag({ classId, work }: PushPayload): string {
  if (classId === null) return work ? moderatorTags.work : moderatorTags.threat;
  return classId || 'new';
}

function toPath(classId: string | null): string {
  if (classId === null) return '/moderation';
  return classId === '' ? '/home' : `/home/${classId}`;
}

/** Only the server can encrypt for this browser. A payload with another form comes from another version of the server. */
function parsePayload(data: PushMessageData | null): PushPayload {
  // A worker does not know the language of the reader.
  const fallbackPayload = { classId: '', title: self.location.host, unread: 0, close: [] };
  try {
    return { ...fallbackPayload, ...(data?.json() as Partial<PushPayload>) };
  } catch {
    return fallbackPayload;
  }
}

async function closeNotifications(tag: string): Promise<void> {
  for (const notification of await self.registration.getNotifications({ tag })) {
    notification.close();
  }
}

/** Opens the notification's page in a window of the app, without a reload if the window is ready. */
export async function openClicked(notification: Notification): Promise<void> {
  notification.close();
  const path = String(notification.data);
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const target = windows.find(({ url }) => new URL(url).pathname === path) ?? windows[0];
  if (!target) return void (await self.clients.openWindow(path));
  // Browsers reject this some seconds after the click.
  await target.focus().catch(() => undefined);
  if (await askWithPort<boolean>(target, { type: 'open-path', path }, replyMs)) return;
  await target.navigate(path).catch(() => self.clients.openWindow(path));
}

/** The browser has ended or replaced its subscription. Not every browser names the old one or the new one. */
export async function renewSubscription(event: PushSubscriptionChangeEvent): Promise<void> {
  const subscription = event.newSubscription ?? (await subscribeLike(event.oldSubscription));
  if (!subscription) return;
  const { method, path } = routes.subscribePush;
  const response = await fetch(path, {
    method,
    body: JSON.stringify(toSubscriptionBody(subscription)),
    headers: { 'content-type': 'application/json' },
  });
  // Notifications are for the account of the session, which has ended.
  if (response.status === 401) await subscription.unsubscribe();
}

async function subscribeLike(old: PushSubscription | null): Promise<PushSubscription | null> {
  const { pushManager } = self.registration;
  if (old) return pushManager.subscribe(old.options);
  const { method, path } = routes.readNotifications;
  const response = await fetch(path, { method });
  if (!response.ok) return null;
  const { publicKey, subscribed } = (await response.json()) as CallReply<'readNotifications'>;
  if (publicKey === null || !subscribed) return null;
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}
