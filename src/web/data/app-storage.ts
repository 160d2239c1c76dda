// What the installed app keeps on this device. If the browser denies access to it, there is nothing to remove.

/** Removes the service worker, with its push subscription, its notifications and its badge, and the stored files. */
export async function removeStoredApp(): Promise<void> {
  await clearNotifications();
  try {
    await Promise.all((await findWorkers()).map((worker) => worker.unregister()));
    const names = (await globalThis.caches?.keys()) ?? [];
    await Promise.all(names.map((name) => caches.delete(name)));
  } catch {
    // Access was denied.
  }
}

/** Clears the notifications and the badge. */
export async function clearNotifications(): Promise<void> {
  await navigator.clearAppBadge?.().catch(() => undefined);
  try {
    for (const worker of await findWorkers()) {
      for (const notification of await worker.getNotifications()) notification.close();
    }
  } catch {
    // Access was denied.
  }
}

const findWorkers = async () => (await navigator.serviceWorker?.getRegistrations()) ?? [];
