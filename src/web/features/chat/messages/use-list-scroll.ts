import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Room, RoomView } from '#web/sync/room.ts';

const nearBottom = 48;
const nearTop = 1200;

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
 * At the bottom, the list stays at the bottom while content grows. Scrolled up, the position stays fixed:
 * older pages are added above (`shift`), and newer messages only increase a counter.
 */
export function useListScroll(room: Room, view: RoomView) {
  const { messages, me, older } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const stuck = useRef(true);
  const lastOffset = useRef(0);
  const [away, setAway] = useState(false);
  const [seen, setSeen] = useState(0);

  const newest = messages.reduce((max, { seq }) => Math.max(max, seq ?? 0), 0);
  const unseen = away
    ? messages.filter(({ seq, memberId }) => (seq ?? 0) > seen && memberId !== me).length
    : 0;

  const firstBefore = usePrevious(messages)?.[0]?.id;
  const prepending =
    firstBefore !== undefined &&
    firstBefore !== messages[0]?.id &&
    messages.some(({ id }) => id === firstBefore);

  const stick = useCallback(() => {
    const element = scroller.current;
    if (element && stuck.current) element.scrollTop = element.scrollHeight;
  }, []);

  const toBottom = useCallback(() => {
    stuck.current = true;
    setAway(false);
    const last = messages.length - 1;
    list.current?.scrollToIndex(last, { align: 'end' });
    requestAnimationFrame(stick);
  }, [messages.length, stick]);

  const loadOlderNearTop = useCallback(() => {
    const element = scroller.current;
    if (element && older === 'some' && element.scrollTop < nearTop) void room.loadOlder();
  }, [older, room]);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Only scrolling up releases the bottom: content that grows below does not change the scroll position.
    if (rest <= nearBottom) stuck.current = true;
    else if (element.scrollTop < lastOffset.current - 1) stuck.current = false;
    lastOffset.current = element.scrollTop;
    if (stuck.current === away) {
      if (!stuck.current) setSeen(newest);
      setAway(!stuck.current);
    }
    loadOlderNearTop();
  }, [away, newest, loadOlderNearTop]);

  // Rows, pictures and the window change size after the first render: stay at the bottom.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(stick);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [stick]);

  // If the messages do not fill the window, no scroll event can request older ones.
  useEffect(loadOlderNearTop, [loadOlderNearTop, messages.length]);

  const lastOwn = messages.findLast(({ delivery }) => delivery === 'sending')?.id;
  useLayoutEffect(() => {
    if (lastOwn) stuck.current = true;
  }, [lastOwn]);
  useLayoutEffect(() => {
    if (!stuck.current) return;
    list.current?.scrollToIndex(messages.length - 1, { align: 'end' });
    stick();
  }, [messages, stick]);

  return { scroller, list, away, unseen, prepending, toBottom, onScroll };
}
