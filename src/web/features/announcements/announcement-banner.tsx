// The announcements of operators, above the screen: those for everyone, and those of the class on screen.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useMatch } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import { useClasses } from '#web/data/classes.ts';
import { dismissAnnouncement, dismissedAnnouncements } from './dismissed-announcements.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { AnnouncementItem } from './announcement-item.tsx';
import styles from './announcement-banner.module.css';

/** The clock of a sleeping device jumps. */
const maxWaitMs = 60_000;
/** Screen readers notice a text within this time. It is removed then, so browsing the page does not find it twice. */
const spokenMs = 10_000;

interface Shown {
  announcementId: string;
  label: string | null;
  text: string;
  endsAt: number;
}

export function AnnouncementBanner({ live }: { live: Pick<LiveClient, 'announcements'> }) {
  const items = useShown(live);
  const region = useRef<HTMLElement>(null);
  const dismiss = (announcementId: string) => {
    // The focused button disappears.
    if (items.length > 1) region.current?.focus({ preventScroll: true });
    else document.getElementById('main')?.focus({ preventScroll: true });
    dismissAnnouncement(announcementId);
  };
  return (
    <>
      <Spoken items={items} />
      {items.length > 0 && (
        <section
          ref={region}
          className={styles.banner}
          aria-label="Announcements"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
          tabIndex={0}
        >
          {items.map(({ announcementId, label, text }) => (
            <AnnouncementItem
              key={announcementId}
              label={label}
              text={text}
              onDismiss={() => dismiss(announcementId)}
            />
          ))}
        </section>
      )}
    </>
  );
}

/** What is in force, not dismissed, and for this screen. The newest are first. */
function useShown({ announcements }: Pick<LiveClient, 'announcements'>): readonly Shown[] {
  const all = useSyncExternalStore(announcements.subscribe, announcements.getSnapshot);
  const { subscribe, getSnapshot } = dismissedAnnouncements;
  const dismissed = useSyncExternalStore(subscribe, getSnapshot);
  const classId = useMatch('/home/:classId')?.params.classId;
  const current = useClasses().data?.find((joinedClass) => joinedClass.classId === classId);
  const [now, setNow] = useState(() => Date.now());
  const allAnnouncements: Shown[] = [
    ...(current ? (all[current.classId] ?? []) : []).map((announcement) => ({
      ...announcement,
      label: current ? toClassLabel(current) : null,
    })),
    ...(all[''] ?? []).map((announcement) => ({ ...announcement, label: null })),
  ];
  const items = allAnnouncements.filter(
    ({ announcementId, endsAt }) => endsAt > now && !dismissed.includes(announcementId),
  );
  const nextEnd = Math.min(...items.map(({ endsAt }) => endsAt));
  useEffect(() => {
    if (nextEnd === Infinity) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const schedule = () => {
      const wait = Math.min(Math.max(0, nextEnd - Date.now()), maxWaitMs);
      timer = setTimeout(() => {
        setNow(Date.now());
        schedule();
      }, wait);
    };
    schedule();
    return () => clearTimeout(timer);
  }, [nextEnd]);
  return items;
}

/** Announces each of them once, politely, whether it was there before the page or comes later. */
function Spoken({ items }: { items: readonly Shown[] }) {
  const spokenIds = useRef(new Set<string>());
  const [spokenText, setSpokenText] = useState('');
  useEffect(() => {
    const fresh = items.filter(({ announcementId }) => !spokenIds.current.has(announcementId));
    if (fresh.length === 0) return;
    for (const { announcementId } of fresh) spokenIds.current.add(announcementId);
    // Screen readers only notice text that is added later.
    setSpokenText(fresh.map(({ text }) => `Announcement: ${text}`).join('\n'));
  }, [items]);
  useEffect(() => {
    if (spokenText === '') return;
    const timer = setTimeout(() => setSpokenText(''), spokenMs);
    return () => clearTimeout(timer);
  }, [spokenText]);
  return (
    <VisuallyHidden>
      <span role="status">{spokenText}</span>
    </VisuallyHidden>
  );
}
