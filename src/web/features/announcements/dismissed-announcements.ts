// The announcements that the member dismissed on this device. The server does not learn of it. Signing out forgets them.
import { createStore, type Store } from '#web/store.ts';

const storageKey = 'dismissed-announcements';
/** More than are ever shown together. */
const maxDismissed = 100;

const dismissedIds = createStore<readonly string[]>(loadDismissedIds());

function loadDismissedIds(): readonly string[] {
  return (localStorage.getItem(storageKey) ?? '').split(' ').filter((id) => id !== '');
}

addEventListener('storage', ({ key }) => {
  // A sign-out in another tab clears the storage: the key is then null.
  if (key === storageKey || key === null) dismissedIds.set(loadDismissedIds());
});

export const dismissedAnnouncements: Store<readonly string[]> = dismissedIds;

/** Hides the announcement in all tabs of this browser. */
export function dismissAnnouncement(announcementId: string): void {
  // Another tab may have dismissed others meanwhile.
  const ids = [...new Set([announcementId, ...loadDismissedIds()])].slice(0, maxDismissed);
  try {
    localStorage.setItem(storageKey, ids.join(' '));
  } catch {
    // Storage is full. The announcement stays dismissed in this tab.
  }
  dismissedIds.set(ids);
}
