import { useEffect, useState } from 'react';
import { findTags } from '#contract/persona-name.ts';
import { toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import {
  hasMentionOfViewer,
  isInTopic,
  listMessagesOfOthers,
  type RoomMessage,
  type RoomView,
} from '#web/sync/room/room.ts';
import { summarizeMessage } from './messages/message-summary.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';

interface Announcement {
  key: string;
  text: string;
}

const removeAfterMs = 10_000;
const maxAnnouncements = 3;

/** Announces each new message of other members once, politely. */
export function Announcer({ view }: { view: RoomView }) {
  const [announcements, setAnnouncements] = useState<readonly Announcement[]>([]);
  /** Null until the room is ready: the messages that a room opens with are not new. */
  const [announcedSeq, setAnnouncedSeq] = useState<number | null>(null);
  const newestSeq = view.newest.at(-1)?.seq ?? 0;
  // An effect would render each message a second time, and React stops a flood of those with an error.
  if (view.state === 'ready' && newestSeq > (announcedSeq ?? -1)) {
    setAnnouncedSeq(newestSeq);
    if (announcedSeq !== null) {
      const newAnnouncements = toAnnouncements(view, announcedSeq);
      setAnnouncements([...announcements, ...newAnnouncements].slice(-maxAnnouncements));
    }
  }
  return (
    <VisuallyHidden>
      <span role="log" aria-label={getText('chat.announcer.label')}>
        {announcements.map(({ key, text }) => (
          <AnnouncementLine key={key} text={text} />
        ))}
      </span>
    </VisuallyHidden>
  );
}

/**
 * A line for screen readers. It is removed some seconds later, or when newer lines replace it, so that browsing
 * the page does not find it again.
 */
function AnnouncementLine({ text }: { text: string }) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsOver(true), removeAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return isOver ? null : <span>{text} </span>;
}

/** If many messages arrive together, for example after a reconnect, only their number is announced. */
function toAnnouncements(view: RoomView, previousSeq: number): Announcement[] {
  const { newest, personas } = view;
  const newMessages = listMessagesOfOthers(newest, previousSeq, view).filter((message) =>
    isInTopic(view, message),
  );
  if (newMessages.length > maxAnnouncements) {
    return [
      {
        key: newMessages[0]?.id ?? '',
        text: getText('chat.unread.count', { count: newMessages.length }),
      },
    ];
  }
  const tags = findTags(personas);
  return newMessages.map((message) => {
    const { memberId } = message;
    const name = toSpokenName(personas.get(memberId), tags.get(memberId));
    const kind = toKind(message, view);
    const summary = summarizeMessage(message, personas);
    return { key: message.id, text: getText('chat.announcer.message', { kind, name, summary }) };
  });
}

function toKind(message: RoomMessage, view: RoomView) {
  if (hasMentionOfViewer(message, view)) return 'mention';
  return message.question ? 'question' : 'message';
}
