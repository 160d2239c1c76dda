// The announcements that this browser knows. The first screen of the next page shows them until the server says which
// are in force. Signing out deletes them (data/reachability.ts).
import { useEffect, useMemo, useState } from 'react';
import { useClasses } from '#web/data/classes.ts';
import { announcementsKey } from '#web/data/reachability.ts';
import type { Announcements, LiveClient } from '#web/sync/room/room.ts';
import { useStore } from '#web/use-store.ts';

function loadAnnouncements(): Announcements {
  try {
    return JSON.parse(localStorage.getItem(announcementsKey) ?? '{}') as Announcements;
  } catch {
    return {};
  }
}

function storeAnnouncements(announcements: Announcements, classIds: readonly string[]): void {
  const now = Date.now();
  const entries = ['', ...classIds].flatMap((classId) => {
    const inForce = (announcements[classId] ?? []).filter(({ endsAt }) => endsAt > now);
    return inForce.length > 0 ? [[classId, inForce]] : [];
  });
  try {
    if (entries.length === 0) localStorage.removeItem(announcementsKey);
    else localStorage.setItem(announcementsKey, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // Storage is full. The next page shows the banner as soon as the server has sent it.
  }
}

/** What the server has sent to this page, and until then what the last page knew. */
export function useKnownAnnouncements(live: Pick<LiveClient, 'announcements'>): Announcements {
  const sentAnnouncements = useStore(live.announcements);
  const [earlierAnnouncements] = useState(loadAnnouncements);
  const announcements = useMemo(
    () => ({ ...earlierAnnouncements, ...sentAnnouncements }),
    [earlierAnnouncements, sentAnnouncements],
  );
  const classes = useClasses().data;
  useEffect(() => {
    if (classes) {
      storeAnnouncements(
        announcements,
        classes.map(({ classId }) => classId),
      );
    }
  }, [announcements, classes]);
  return announcements;
}
