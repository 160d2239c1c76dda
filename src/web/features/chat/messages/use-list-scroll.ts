import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { getSavedPlace, savePlace } from '#web/data/reading-places.ts';
import {
  isInTopic,
  listMessagesOfOthers,
  type Room,
  type RoomMessage,
  type RoomView,
} from '#web/sync/room/room.ts';
import { useStore } from '#web/use-store.ts';
import { StickToBottom } from './stick-to-bottom.ts';

/** The fixed height of the area above the first message. */
export const topHeight = 56;
/** Rows this far outside of the window are rendered too. */
export const bufferPx = 600;
/** Pages load before the member reaches the end of what is held. */
const nearEndPx = 1200;
/** This many of the newest rows stay mounted, because the virtual list notices a jump to the end one frame later. */
const minNewestRowCount = 30;
/** The end of what was read stays visible above the first new message. */
const firstNewMarginPx = 64;

/** The value before the last change. */
function usePrevious<Value>(value: Value): Value | undefined {
  const [pair, setPair] = useState<[Value, Value | undefined]>([value, undefined]);
  if (pair[0] !== value) {
    setPair([value, pair[0]]);
    return pair[0];
  }
  return pair[1];
}

/**
 * Keeps the list at the bottom while content grows (stick-to-bottom). If the member has scrolled up, the
 * position stays fixed: pages are added and forgotten above (`shift`) and below, and newer messages only
 * increase a counter. After a jump the list is a new one.
 */
export function useListScroll(
  classId: string,
  room: Room,
  view: RoomView,
  /** The id of the first new message. `loading`: the room does not hold it yet. Null: there are no new messages. */
  firstNew: string | null,
) {
  const { messages, older, newer, jump } = view;
  const list = useRef<VirtualizerHandle>(null);
  const isAtNewest = newer === 'none';
  const scrollerRef = useRef<HTMLDivElement>(null);
  const [bottom] = useState(() => new StickToBottom(scrollerRef, jump.messageId === null));
  const { isScrolledUp } = bottom;
  const isAway = useStore(isScrolledUp) || !isAtNewest;
  const [arrivals, setArrivals] = useState<Arrivals | null>(null);
  const currentArrivals = isAway ? addArrivals(arrivals, view) : null;
  if (currentArrivals !== arrivals) setArrivals(currentArrivals);

  const previousMessages = usePrevious(messages);
  const isShifted =
    previousMessages !== undefined && isSameListWithOtherStart(previousMessages, messages);

  const scrollToBottom = useCallback(() => {
    if (!isAtNewest) return room.showNewest();
    bottom.follow();
    bottom.keepAtEnd();
  }, [room, isAtNewest, bottom]);

  const loadNearEnds = useCallback(() => {
    const element = scrollerRef.current;
    if (!element || !bottom.isPlaced) return;
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (older === 'some' && element.scrollTop < nearEndPx) void room.loadOlder();
    else if (newer === 'some' && rest < nearEndPx) void room.loadNewer();
  }, [scrollerRef, older, newer, room, bottom]);

  useEffect(() => bottom.setOnPlaced(loadNearEnds), [bottom, loadNearEnds]);

  const reportSeen = useCallback(() => {
    const element = scrollerRef.current;
    if (!element || !list.current) return;
    const middleIndex = list.current.findItemIndex(element.scrollTop + element.clientHeight / 2);
    const middleMessage = messages[middleIndex] ?? messages.at(-1);
    room.setSeen(bottom.isFollowing ? null : (middleMessage?.seq ?? Infinity));
  }, [room, messages, scrollerRef, bottom]);

  /** How many of the newest rows the window and the buffer above it have held. */
  const [newestRowCount, setNewestRowCount] = useState(minNewestRowCount);
  const measureNewestRows = () => {
    if (!list.current || !bottom.isFollowing) return;
    const top = list.current.findItemIndex(list.current.scrollOffset - bufferPx);
    setNewestRowCount(Math.max(newestRowCount, messages.length - top));
  };

  const onScroll = () => {
    bottom.onScroll();
    measureNewestRows();
    reportSeen();
    savePlace(classId, bottom.isFollowing ? null : findPlace(list.current, messages));
    loadNearEnds();
  };

  // If the messages do not fill the window, no scroll event can request others.
  useEffect(loadNearEnds, [loadNearEnds, messages]);

  // A separate step after each change: `shift` cannot describe a list that changes at both ends at the same time.
  useEffect(() => {
    reportSeen();
    room.forgetDistant();
  }, [room, reportSeen]);

  // Runs before React renders a change.
  useEffect(() => room.subscribe(bottom.trackMovement), [room, bottom]);

  useFirstPosition({ classId, view, firstNew, list, bottom });
  useLayoutEffect(() => {
    bottom.setAtNewest(isAtNewest);
    bottom.keepAtEnd();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each change of the messages can move the end
  }, [messages, isAtNewest, bottom]);

  return {
    scrollerRef,
    bottom,
    list,
    isAway,
    arrivals: currentArrivals,
    newestRows: newestRowCount,
    isShifted,
    scrollToBottom,
    onScroll,
  };
}

interface FirstPositionOptions {
  classId: string;
  view: RoomView;
  firstNew: string | null;
  list: RefObject<VirtualizerHandle | null>;
  bottom: StickToBottom;
}

/** Opens the room at its first new message, where the member left it, or at the message of a jump. */
function useFirstPosition({ classId, view, firstNew, list, bottom }: FirstPositionOptions): void {
  const { jump, messages } = view;
  /** The room was opened, and the list has not found its first position yet. */
  const isStarting = useRef(jump.messageId === null);
  useLayoutEffect(() => {
    if (!isStarting.current) return;
    const place = firstNew === null ? getSavedPlace(classId) : null;
    const id = firstNew ?? place?.messageId;
    const index = messages.findIndex((message) => message.id === id);
    isStarting.current = firstNew === 'loading';
    if (index < 0) return;
    bottom.release();
    const offset = place ? place.hiddenPx : -firstNewMarginPx;
    list.current?.scrollToIndex(index, { align: 'start', offset });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only when the room opens and gets its first new message
  }, [firstNew]);

  const lastWrittenAt = useRef(0);
  useLayoutEffect(() => {
    const sendingMessages = messages.filter(({ delivery }) => delivery === 'sending');
    // A text comes before messages that upload, so the last message may not be the newest.
    const writtenAt = Math.max(0, ...sendingMessages.map(({ createdAt }) => createdAt));
    if (writtenAt <= lastWrittenAt.current) return;
    lastWrittenAt.current = writtenAt;
    bottom.follow();
  }, [messages, bottom]);

  const initialView = useRef({ jump, messages });
  useLayoutEffect(() => {
    const { messageId } = initialView.current.jump;
    const target = initialView.current.messages.findIndex(({ id }) => id === messageId);
    if (target >= 0) list.current?.scrollToIndex(target, { align: 'center' });
  }, [list]);
}

/** The message at the top of the window. */
function findPlace(list: VirtualizerHandle | null, messages: readonly RoomMessage[]) {
  if (!list) return null;
  const index = list.findItemIndex(list.scrollOffset);
  const messageId = messages[index]?.id;
  const hiddenPx = list.scrollOffset - topHeight - list.getItemOffset(index);
  return messageId === undefined ? null : { messageId, hiddenPx };
}

/** Whether messages were added or removed at the start, and others stayed. */
function isSameListWithOtherStart(
  previousMessages: readonly RoomMessage[],
  messages: readonly RoomMessage[],
): boolean {
  const previousFirstId = previousMessages[0]?.id;
  const firstId = messages[0]?.id;
  if (previousFirstId === undefined || firstId === undefined || previousFirstId === firstId) {
    return false;
  }
  return (
    messages.some(({ id }) => id === previousFirstId) ||
    previousMessages.some(({ id }) => id === firstId)
  );
}

/** What others have posted since the member left the end. */
export interface Arrivals {
  count: number;
  /** False if the browser has not received all of them, as after a long time without a connection. */
  isComplete: boolean;
  toSeq: number;
}

/** Counts each message when it arrives, because the room later forgets some of them. */
export function addArrivals(arrivals: Arrivals | null, view: RoomView): Arrivals {
  const { newest } = view;
  const toSeq = newest.at(-1)?.seq ?? 0;
  if (!arrivals) return { count: 0, isComplete: true, toSeq };
  if (toSeq <= arrivals.toSeq) return arrivals;
  const newMessages = listMessagesOfOthers(newest, arrivals.toSeq, view);
  const count = arrivals.count + newMessages.filter((message) => isInTopic(view, message)).length;
  const isComplete = arrivals.isComplete && (newest[0]?.seq ?? 0) <= arrivals.toSeq;
  return { count, isComplete, toSeq };
}
