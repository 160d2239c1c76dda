// The line above the messages that were unread when the member opened the room.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { isOwnPersona, type Room, type RoomMessage, type RoomView } from '#web/sync/room/room.ts';
import { createStore, type Store } from '#web/store.ts';
import { Button } from '#web/ui/button.tsx';
import styles from './new-messages-line.module.css';

export function NewMessagesLine({ onClear }: { onClear: () => void }) {
  return (
    <div className={styles.line}>
      <h2 className={styles.label}>New messages</h2>
      <Button variant="plain" onClick={onClear}>
        Mark as read
      </Button>
    </div>
  );
}

export interface NewMessages {
  /** The messages of others after this seq are new. Null: there is no line. */
  afterSeq: number | null;
  clear(): void;
}

interface LineStore extends Store<number | null> {
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
  const afterSeq = useSyncExternalStore(line.subscribe, line.getSnapshot);
  useEffect(() => line.start(), [line]);
  useEffect(() => {
    if (afterSeq === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isForOverlay = event.defaultPrevented || document.querySelector(openOverlays) !== null;
      if (event.key === 'Escape' && !event.isComposing && !isForOverlay) line.clear();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [line, afterSeq]);
  return { afterSeq, clear: line.clear };
}

/** Overlays, which close on Escape themselves. */
const openOverlays = 'dialog[open], [role=dialog], [role=alertdialog], [role=menu]';

function createLine(room: Room): LineStore {
  const { subscribe, getSnapshot, set } = createStore<number | null>(null);
  /** Null until the room is ready. */
  let lastReadSeq: number | null = null;

  function update(): void {
    const { state, unread, readSeq } = room.getSnapshot();
    if (state !== 'ready') return;
    const isOpening = lastReadSeq === null;
    const isMarkedUnread = lastReadSeq !== null && readSeq < lastReadSeq;
    const isAway = document.hidden && getSnapshot() === null;
    if (unread.count > 0 && (isOpening || isMarkedUnread || isAway)) set(readSeq);
    lastReadSeq = readSeq;
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

/** @returns the id of the first new message, or null if the room does not hold it */
export function findFirstNew(view: RoomView, afterSeq: number | null): string | null {
  const { messages, older, preferences } = view;
  if (afterSeq === null || !hasSeq(messages, afterSeq, older === 'none')) return null;
  const isNew = ({ seq, memberId }: RoomMessage) =>
    (seq ?? 0) > afterSeq && !isOwnPersona(view, memberId) && !preferences.ignored.has(memberId);
  return messages.find(isNew)?.id ?? null;
}

/** Whether `messages` have every message after the seq. */
function hasSeq(messages: readonly RoomMessage[], seq: number, isComplete: boolean): boolean {
  const firstSeq = messages[0]?.seq ?? null;
  return isComplete || (firstSeq !== null && firstSeq <= seq);
}
