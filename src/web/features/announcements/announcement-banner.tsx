// The announcements of operators, above the screen: those for everyone, and those of the class on screen. The code
// loads before the first screen if this browser knows announcements (app/first-requests.ts), otherwise after it.
import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useMatch } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import { useClasses } from '#web/data/classes.ts';
import { createStoredIds } from '#web/data/stored-ids.ts';
import { formatMoment, formatTimeOfDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { useKnownAnnouncements } from './known-announcements.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { findBareAddress, parseLinkTarget } from '#web/markup/links.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './announcement-banner.module.css';

/** What the member dismissed on this device. The server does not learn of it. */
const dismissedAnnouncements = createStoredIds('dismissed-announcements');

/** The longest wait of a timer: the clock of a sleeping device jumps. */
const maxWaitMs = 60_000;
/** Screen readers notice a text within this time. Then the text is removed, so that browsing does not find it twice. */
const spokenMs = 10_000;

interface ShownAnnouncement {
  announcementId: string;
  label: string | null;
  text: string;
  endsAt: number;
  isMaintenance?: true | undefined;
}

export function AnnouncementBanner({ live }: { live: Pick<LiveClient, 'announcements'> }) {
  const items = useShownAnnouncements(live);
  const region = useRef<HTMLElement>(null);
  const dismiss = (announcementId: string) => {
    // The focused button disappears.
    if (items.length > 1) region.current?.focus({ preventScroll: true });
    else document.getElementById('main')?.focus({ preventScroll: true });
    dismissedAnnouncements.add([announcementId]);
  };
  return (
    <>
      <SpokenAnnouncements items={items} />
      {items.length > 0 && (
        <section
          ref={region}
          className={styles.banner}
          aria-label={getText('announcements.banner.label')}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
          tabIndex={0}
        >
          {items.map((item) => (
            <AnnouncementItem
              key={item.announcementId}
              title={toTitle(item)}
              text={item.text}
              onDismiss={() => dismiss(item.announcementId)}
            />
          ))}
        </section>
      )}
    </>
  );
}

function toTitle({ label, endsAt, isMaintenance }: ShownAnnouncement): string {
  if (isMaintenance) {
    const isToday = new Date(endsAt).toDateString() === new Date().toDateString();
    const time = isToday ? formatTimeOfDay(endsAt) : formatMoment(endsAt);
    return getText('announcements.banner.readOnly', { time });
  }
  return label === null
    ? getText('announcements.banner.everyone')
    : getText('announcements.banner.class', { className: label });
}

interface ItemProps {
  title: string;
  text: string;
  onDismiss: () => void;
}

function AnnouncementItem({ title, text, onDismiss }: ItemProps) {
  const textId = useId();
  return (
    <div className={styles.item}>
      <div className={styles.words} id={textId}>
        <p className={styles.label}>{title}</p>
        <p className={styles.text} dir="auto">
          <AnnouncementText text={text} />
        </p>
      </div>
      <IconButton
        icon="close"
        label={getText('announcements.banner.dismiss')}
        aria-describedby={textId}
        onClick={onDismiss}
      />
    </div>
  );
}

/** Plain text whose typed addresses are links. Each link shows its whole target, as in messages. */
function AnnouncementText({ text }: { text: string }) {
  return splitLinks(text).map(({ part, href }, index) => (
    <Fragment key={index}>
      {href === null ? (
        part
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener nofollow">
          {part}
        </a>
      )}
    </Fragment>
  )) satisfies ReactNode;
}

function splitLinks(text: string): { part: string; href: string | null }[] {
  const parts: { part: string; href: string | null }[] = [];
  let plainStart = 0;
  for (let position = 0; position < text.length;) {
    const address = findBareAddress(text, position, () => false);
    const target = address && parseLinkTarget(address);
    if (target) {
      if (plainStart < position) parts.push({ part: text.slice(plainStart, position), href: null });
      parts.push({ part: address, href: target.href });
      plainStart = position + address.length;
    }
    position += address.length || 1;
  }
  if (plainStart < text.length) parts.push({ part: text.slice(plainStart), href: null });
  return parts;
}

/** The announcements in force for this screen that the member has not dismissed, newest first. */
function useShownAnnouncements(
  live: Pick<LiveClient, 'announcements'>,
): readonly ShownAnnouncement[] {
  const announcementsByClass = useKnownAnnouncements(live);
  const dismissedIds = useStore(dismissedAnnouncements);
  const classId = useMatch('/home/:classId')?.params.classId;
  const classes = useClasses().data;
  const currentClass = classes?.find((joinedClass) => joinedClass.classId === classId);
  // The banner does not wait for the class list, which would move the screen.
  const isMember = !classes || currentClass !== undefined;
  const [now, setNow] = useState(() => Date.now());
  const label = currentClass ? toClassLabel(currentClass) : null;
  const allAnnouncements: ShownAnnouncement[] = [
    ...((isMember && classId && announcementsByClass[classId]) || []).map((announcement) => ({
      ...announcement,
      label,
    })),
    ...(announcementsByClass[''] ?? []).map((announcement) => ({ ...announcement, label: null })),
  ];
  const items = allAnnouncements.filter(
    ({ announcementId, endsAt }) => endsAt > now && !dismissedIds.includes(announcementId),
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

/** Lets screen readers announce each text once, politely. */
function SpokenAnnouncements({ items }: { items: readonly ShownAnnouncement[] }) {
  const spokenIds = useRef(new Set<string>());
  const [spokenText, setSpokenText] = useState('');
  useEffect(() => {
    const newItems = items.filter(({ announcementId }) => !spokenIds.current.has(announcementId));
    if (newItems.length === 0) return;
    for (const { announcementId } of newItems) spokenIds.current.add(announcementId);
    // Screen readers only notice text that is added later.
    const texts = newItems.map(({ text }) => getText('announcements.banner.spoken', { text }));
    setSpokenText(texts.join('\n'));
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
