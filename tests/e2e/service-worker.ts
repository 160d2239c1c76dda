// Windows with a service worker, and what Chromium's protocol tells of it.
import { expect, type BrowserContextOptions, type CDPSession, type Page } from '@playwright/test';
import type { TestClient } from '#tests/support/test-client.ts';
import type { Windows } from './fixtures.ts';

/** Opens a signed-in window whose service worker has stored the app. */
export async function openInstalled(
  windows: Windows,
  student: TestClient,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await windows.openWindowAs(student, { serviceWorkers: 'allow', ...options });
  await waitUntilInstalled(page);
  return page;
}

/** Waits until a service worker has stored the app and controls the page. */
export async function waitUntilInstalled(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}

/** The addresses of everything in the browser's caches. */
export function listCachedUrls(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const urls: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) urls.push(new URL(request.url).pathname);
    }
    return urls;
  });
}

/** Looks for a new version, as browsers do from time to time. */
export async function findUpdate(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
  });
  await page.waitForFunction(async () => {
    const registration = await navigator.serviceWorker.ready;
    return registration.waiting !== null;
  });
}

/**
 * Delivers what a push service would deliver, and waits until the service worker has shown it. While it does, nothing may ask
 * for the shown notifications: Chromium then forgets one that is stored and not yet on screen.
 */
export async function startPushing(page: Page): Promise<(payload: unknown) => Promise<void>> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const registrationId = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (registration) resolve(registration.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  let completed = 0;
  session.on('BackgroundService.backgroundServiceEventReceived', ({ backgroundServiceEvent }) => {
    if (backgroundServiceEvent.eventName === 'Push event completed') completed += 1;
  });
  const observed = { service: 'pushMessaging' } as const;
  await session.send('BackgroundService.setRecording', { ...observed, shouldRecord: true });
  await session.send('BackgroundService.startObserving', observed);
  return async (payload) => {
    const countBefore = completed;
    await session.send('ServiceWorker.deliverPushMessage', {
      origin: new URL(page.url()).origin,
      registrationId: await registrationId,
      data: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    await expect.poll(() => completed).toBeGreaterThan(countBefore);
  };
}

export interface ShownNotification {
  title: string;
  body: string;
  tag: string;
}

export function listShownNotifications(page: Page): Promise<ShownNotification[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, tag }) => ({ title, body, tag }));
  });
}

/** Expects that no service worker and none of its files is left. The page may still be loading. */
export async function expectNothingStored(page: Page): Promise<void> {
  await expect(async () => {
    const storage = await page.evaluate(async () => ({
      caches: await caches.keys(),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
    }));
    expect(storage).toEqual({ caches: [], workers: 0 });
  }).toPass({ timeout: 20_000 });
}
