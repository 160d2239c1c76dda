// Whether this page could reach the server when it opened, and the deletion of what the device keeps for other times.

/** Resolved by the session check of this page: whether this device answered it. */
export let isUnreachable = Promise.withResolvers<boolean>();

/** The server can be reached again, so its errors count from now on. */
export function onReachable(): void {
  isUnreachable = Promise.withResolvers();
  isUnreachable.resolve(false);
}

/** The key in localStorage of the announcements that the last page knew (known-announcements.ts). */
export const announcementsKey = 'announcements';

let stopStoring: (() => void) | undefined;

/** Called before what the device keeps is deleted. */
export function onOfflineDataDeleted(listener: () => void): void {
  stopStoring = listener;
}

/** Deletes the announcements and the database of offline-storage.ts after the session ended, without loading that code. */
export async function deleteOfflineData(): Promise<void> {
  stopStoring?.();
  localStorage.removeItem(announcementsKey);
  await new Promise((resolve) => {
    setTimeout(resolve, 1000);
    try {
      const request = indexedDB.deleteDatabase('backchannel-kept');
      for (const event of ['success', 'error']) request.addEventListener(event, resolve);
    } catch {
      // Without IndexedDB, nothing is kept.
      resolve(null);
    }
  });
}
