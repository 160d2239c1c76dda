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
 * At the bottom the list sticks to it, whatever grows. Scrolled up, nothing moves: older pages are
 * added above (`shift`), and newer messages are only counted.
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
    // Only a movement upwards lets go: content that grows below moves nothing by itself.
    if (rest <= nearBottom) stuck.current = true;
    else if (element.scrollTop < lastOffset.current - 1) stuck.current = false;
    lastOffset.current = element.scrollTop;
    if (stuck.current === away) {
      if (!stuck.current) setSeen(newest);
      setAway(!stuck.current);
    }
    loadOlderNearTop();
  }, [away, newest, loadOlderNearTop]);

  // Rows get their real heights one by one, pictures and windows change size: stay at the bottom.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(stick);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [stick]);

  // A page that does not fill the window cannot be scrolled, so nothing else would ask for more.
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
