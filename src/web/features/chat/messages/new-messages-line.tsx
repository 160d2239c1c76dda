// The line above the messages that were unread when the member opened the room.
import { useEffect, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { listMessagesOfOthers, type Room, type RoomView } from '#web/sync/room/room.ts';
import { createStore, type Store } from '#web/store.ts';
import { Button } from '#web/ui/button.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { useStore } from '#web/use-store.ts';
import styles from './new-messages-line.module.css';

/** The line, and above it the place of the card for a member who was away. */
export function NewMessagesLine({ range, clear, onPlace }: NewMessages) {
  if (!range) return null;
  const { count, isComplete } = range;
  return (
    <>
      <div ref={onPlace} />
      <div className={styles.line}>
        <h2 className={styles.label}>
          {isComplete
            ? getText('chat.unread.count', { count })
            : getText('chat.unread.countAtLeast', { count })}
        </h2>
        <Button variant="plain" onClick={clear}>
          {getText('chat.unread.markAsRead')}
        </Button>
      </div>
    </>
  );
}

/** The messages of others that were unread when the member opened the room. */
export interface UnreadRange {
  afterSeq: number;
  toSeq: number;
  /** How many of them the room has held together. */
  count: number;
  /** The room has held all of them. */
  isComplete: boolean;
}

export interface NewMessages {
  /** Null: there is no line. */
  range: UnreadRange | null;
  clear(): void;
  /** Where the card for a member who was away is. Null: the list does not show the line. */
  place: Element | null;
  onPlace: (place: Element | null) => void;
}

interface LineStore extends Store<UnreadRange | null> {
  start(): () => void;
  clear(): void;
}

/**
 * The line stays where it is until the member leaves the room, presses Escape or clicks its button. It appears
 * again if messages arrive while the tab is hidden, or are marked as unread.
 *
 * Call this hook before the effect that marks the room as read.
 */
export function useNewMessages(room: Room): NewMessages {
  const [line] = useState(() => createLine(room));
  const range = useStore(line);
  const [place, onPlace] = useState<Element | null>(null);
  useEffect(() => line.start(), [line]);
  useEffect(() => {
    if (range === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isForOverlay = event.defaultPrevented || document.querySelector(openOverlays) !== null;
      if (event.key === 'Escape' && !isComposing(event) && !isForOverlay) line.clear();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [line, range]);
  return { range, clear: line.clear, place, onPlace };
}

/** What closes on Escape itself: overlays, and the card above the messages. */
const openOverlays =
  'dialog[open], [role=dialog], [role=alertdialog], [role=menu], [data-takes-escape]';

function createLine(room: Room): LineStore {
  const { subscribe, getSnapshot, set } = createStore<UnreadRange | null>(null);
  /** Null until the room is ready. */
  let lastReadSeq: number | null = null;
  let lastTopicId: string | undefined;

  function update(): void {
    const view = room.getSnapshot();
    const { state, newest, topic } = view;
    if (state !== 'ready') return;
    const isOtherTopic = topic?.topicId !== lastTopicId;
    let range = isOtherTopic ? null : getSnapshot();
    const { readSeq } = topic ?? view;
    const unreadCount = topic ? (view.topicUnread.get(topic.topicId) ?? 0) : view.unread.count;
    const isOpening = lastReadSeq === null || isOtherTopic;
    const isMarkedUnread = lastReadSeq !== null && readSeq < lastReadSeq;
    const isAway = document.hidden && (range === null || range.afterSeq === readSeq);
    if (unreadCount > 0 && (isOpening || isMarkedUnread || isAway)) {
      const toSeq = newest.at(-1)?.seq ?? readSeq;
      range = { afterSeq: readSeq, toSeq, count: 0, isComplete: false };
    }
    set(range && countUnread(range, view));
    lastReadSeq = readSeq;
    lastTopicId = topic?.topicId;
  }

  update();
  return {
    subscribe,
    getSnapshot,
    start() {
      update();
      return room.subscribe(update);
    },
    clear() {
      set(null);
      room.markRead();
    },
  };
}

/** Counts until the room has held the whole range. Later the room may forget messages of it. */
function countUnread(range: UnreadRange, view: RoomView): UnreadRange {
  const { messages, newer } = view;
  if (range.isComplete) return range;
  const { afterSeq, toSeq } = range;
  const newMessages = listMessagesOfOthers(messages, afterSeq, view);
  const count = newMessages.filter(({ seq }) => seq !== null && seq <= toSeq).length;
  const isToEnd = newer === 'none' || messages.some(({ seq }) => seq !== null && seq >= toSeq);
  const isComplete = isToEnd && hasAllAfter(view, afterSeq);
  if (count <= range.count && !isComplete) return range;
  return { ...range, count: Math.max(range.count, count), isComplete };
}

/** @returns the id of the first new message, or null if the room does not hold it */
export function findFirstNew(view: RoomView, range: UnreadRange | null): string | null {
  if (range === null || !hasAllAfter(view, range.afterSeq)) return null;
  return listMessagesOfOthers(view.messages, range.afterSeq, view)[0]?.id ?? null;
}

/** Whether the room holds every message after the seq, up to where its messages end. */
function hasAllAfter({ messages, older }: RoomView, seq: number): boolean {
  const firstSeq = messages[0]?.seq ?? null;
  return older === 'none' || (firstSeq !== null && firstSeq <= seq);
}
