// The service worker: keeps the files of the app for the next start, and shows notifications.
import { hasFile, serve, storeApp, takeOver } from './app-shell.ts';
import { openClicked, showPush, renewSubscription } from './push-messages.ts';
import type { PageMessage } from './worker-messages.ts';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => event.waitUntil(storeApp()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver()));
self.addEventListener('fetch', serve);
self.addEventListener('push', (event) => event.waitUntil(showPush(event.data)));
self.addEventListener('notificationclick', (event) => {
  event.waitUntil(openClicked(event.notification));
});
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewSubscription(event));
});
self.addEventListener('message', (event) => {
  const message = event.data as PageMessage;
  if (message.type === 'activate') event.waitUntil(self.skipWaiting());
  else event.ports[0]?.postMessage(hasFile(message.path));
});
