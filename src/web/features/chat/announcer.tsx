import { useEffect, useRef, useState } from 'react';
import { toSpokenName } from '#web/format.ts';
import { isOwnPersona, type RoomView } from '#web/sync/room/room.ts';
import { hasMentionOfViewer } from './messages/mention.tsx';
import { summarizeMessage } from './messages/message-summary.ts';
import { findTags } from '#web/ui/persona-tag.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';

/**
 * A line for screen readers. It is removed some seconds later, or when newer lines replace it, so that browsing
 * the page does not find it again.
 */
interface Announcement {
  key: string;
  text: string;
}

const removeAfterMs = 10_000;
const maxAnnouncements = 3;

/** Announces each new message of other members once, politely. */
export function Announcer({ view }: { view: RoomView }) {
  const [announcements, setAnnouncements] = useState<readonly Announcement[]>([]);
  const lastAnnouncedSeq = useRef<number | null>(null);
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => {
    if (view.state !== 'ready') return;
    const previousSeq = lastAnnouncedSeq.current;
    const newest = view.newest.at(-1)?.seq ?? 0;
    lastAnnouncedSeq.current = Math.max(newest, previousSeq ?? 0);
    // The messages that a room opens with are not new.
    if (previousSeq === null || newest <= previousSeq) return;
    const newAnnouncements = toAnnouncements(view, previousSeq);
    if (newAnnouncements.length === 0) return;
    const keys = new Set(newAnnouncements.map(({ key }) => key));
    setAnnouncements((old) => [...old, ...newAnnouncements].slice(-maxAnnouncements));
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setAnnouncements((old) => old.filter(({ key }) => !keys.has(key)));
    }, removeAfterMs);
    timers.current.add(timer);
  }, [view]);
  useEffect(() => {
    const pendingTimers = timers.current;
    return () => pendingTimers.forEach((timer) => clearTimeout(timer));
  }, []);
  return (
    <VisuallyHidden>
      <span role="log" aria-label="New messages">
        {announcements.map(({ key, text }) => (
          <span key={key}>{text} </span>
        ))}
      </span>
    </VisuallyHidden>
  );
}

/** If many messages arrive together, for example after a reconnect, only their number is announced. */
function toAnnouncements(view: RoomView, previousSeq: number): Announcement[] {
  const { newest, personas, preferences } = view;
  const firstNew = newest.findLastIndex(({ seq }) => (seq ?? 0) <= previousSeq) + 1;
  const newAnnouncements = newest
    .slice(firstNew)
    .filter(({ memberId }) => !isOwnPersona(view, memberId) && !preferences.ignored.has(memberId));
  if (newAnnouncements.length > maxAnnouncements) {
    return [
      { key: newAnnouncements[0]?.id ?? '', text: `${newAnnouncements.length} new messages` },
    ];
  }
  const tags = findTags(newest.map(({ memberId }) => personas.get(memberId)));
  return newAnnouncements.map((message) => {
    const { memberId } = message;
    const name = toSpokenName(personas.get(memberId), tags.get(memberId));
    const verb = hasMentionOfViewer(message, view) ? ' mentions you' : '';
    return { key: message.id, text: `${name}${verb}: ${summarizeMessage(message, personas)}` };
  });
}
