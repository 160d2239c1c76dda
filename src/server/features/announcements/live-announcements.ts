// The announcements in force, in memory: new connections get them, and open ones learn of each change.
import type { ShownAnnouncement } from '#contract/announcements.ts';
import type { Database } from '#server/store/tables.ts';
import { listInForce, type AnnouncementRow } from './announcements-queries.ts';
import { encodeFrame } from '#server/live/frames.ts';
import type { Hub } from '#server/live/hub.ts';

export interface LiveAnnouncements {
  /** The announcements of the class, or those for everyone (null), newest first. Undefined if there are none. */
  current(classId: string | null): ShownAnnouncement[] | undefined;
  /** Whether members can read and not write. */
  isMaintenance(): boolean;
  /** Reads them again, because they may have changed. */
  load(): Promise<void>;
  stop(): void;
}

/** Longer than timers can wait. */
const maxWaitMs = 24 * 60 * 60_000;

export function createLiveAnnouncements(
  db: Database,
  hub: Pick<Hub, 'publishVolatile'>,
): LiveAnnouncements {
  let inForce: readonly AnnouncementRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const listInForceFor = (classId: string | null) =>
    inForce.filter((announcement) => announcement.classId === classId);

  function listShown(classId: string | null): ShownAnnouncement[] {
    const now = Date.now();
    return listInForceFor(classId).map(({ announcementId, text, endsAt, status }) => ({
      announcementId,
      text,
      endsInMs: Math.max(0, endsAt - now),
      ...(status === 'maintenance' && { isMaintenance: true as const }),
    }));
  }

  /** Publishes to each audience whose announcements change. */
  function replace(next: readonly AnnouncementRow[]): void {
    const now = Date.now();
    const previous = inForce;
    inForce = next.filter(({ endsAt }) => endsAt > now);
    const joinIds = (rows: readonly AnnouncementRow[], classId: string | null) =>
      rows
        .flatMap((announcement) =>
          announcement.classId === classId ? announcement.announcementId : [],
        )
        .join();
    for (const classId of new Set(
      [...previous, ...inForce].map((announcement) => announcement.classId),
    )) {
      if (joinIds(previous, classId) === joinIds(inForce, classId)) continue;
      const announcements = listShown(classId);
      const frame = encodeFrame({ type: 'announcements', classId, announcements });
      hub.publishVolatile(classId, frame);
    }
    clearTimeout(timer);
    if (isStopped || inForce.length === 0) return;
    const firstEnd = Math.min(...inForce.map(({ endsAt }) => endsAt));
    timer = setTimeout(() => replace(inForce), Math.min(firstEnd - now, maxWaitMs));
    timer.unref();
  }

  return {
    current(classId) {
      const shownAnnouncements = inForce.length === 0 ? [] : listShown(classId);
      return shownAnnouncements.length > 0 ? shownAnnouncements : undefined;
    },
    isMaintenance: () =>
      inForce.some(({ status, endsAt }) => status === 'maintenance' && endsAt > Date.now()),
    async load() {
      replace(await listInForce(db, Date.now()));
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
