import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useClasses } from '#web/data/classes.ts';
import { useWaitingWork } from '#web/data/waiting-work.ts';
import { toShownUnreadCount } from '#web/features/class-list/unread-count.tsx';
import { moderatorTags } from '#web/service-worker/worker-messages.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

/** Groups changes that come together, and gives a new connection time to get the counts. */
const delayMs = 1500;

/** Updates the badge of the installed app, which also counts what waits for a moderator, and closes the notifications of classes that the member read on any device. */
export function useUnreadSigns(live: Pick<LiveClient, 'unread' | 'connection'>): void {
  const classes = useClasses().data;
  const work = useWaitingWork();
  const isModerating = useLocation().pathname.startsWith('/moderation');
  useEffect(() => {
    if (isModerating) void closeShown((tag) => Object.values<string>(moderatorTags).includes(tag));
  }, [isModerating]);
  useEffect(() => {
    if (!classes) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const counts = new Map(classes.map(({ classId }) => [classId, live.unread(classId)]));
    let previousCounts: ReadonlyMap<string, number> = new Map();
    const update = () => {
      if (live.connection.getSnapshot() !== 'online') return;
      const unread = new Map(
        [...counts].map(([id, { getSnapshot }]) => [id, toShownUnreadCount(getSnapshot())]),
      );
      void showBadge([...unread.values()].reduce((sum, count) => sum + count, work));
      // Asks for notifications only then: Chromium forgets one that the service worker shows while a page asks.
      const isAnyRead = [...unread].some(
        ([id, count]) => count === 0 && previousCounts.get(id) !== 0,
      );
      if (isAnyRead) void closeShown((tag) => unread.get(tag) === 0);
      previousCounts = unread;
    };
    const schedule = () => {
      clearTimeout(timer);
      timer = setTimeout(update, delayMs);
    };
    const ends = [live.connection, ...counts.values()].map((store) => store.subscribe(schedule));
    schedule();
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [classes, live, work]);
}

/** Shows the count on the app's icon, if the browser and the system have such badges. */
async function showBadge(count: number): Promise<void> {
  await navigator.setAppBadge?.(count).catch(() => undefined);
}

async function closeShown(isDone: (tag: string) => boolean): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const notifications = (await registration?.getNotifications()) ?? [];
  for (const notification of notifications) if (isDone(notification.tag)) notification.close();
}
