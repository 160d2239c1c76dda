import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

const nearBottomPx = 48;
/** If an upward gesture has moved nothing after this time, the list follows again. */
const gestureTimeoutMs = 1000;

/** The share of the visible height that one page is. */
const pageShare = 0.875;

interface Geometry {
  top: number;
  height: number;
  clientHeight: number;
  /** The distance between the end of the content and of the window. */
  rest: number;
  lastRow: Element | null;
  /** The edges of the last row in the window. */
  lastRowTop: number;
  lastRowBottom: number;
}

/**
 * Keeps the scroller at its bottom until the member scrolls up. Only the member lets go: by wheel, touch, keys,
 * the scroll bar, or assistive technology that moves the focus or the view. A change of size never does.
 */
export function useFollowNewest(
  /** The last row is the newest message. */
  isAtNewest: boolean,
  startsAtBottom: boolean,
) {
  const scroller = useRef<HTMLDivElement>(null);
  const following = useRef(startsAtBottom);
  const mayFollow = useRef(isAtNewest);
  useLayoutEffect(() => {
    mayFollow.current = isAtNewest;
    if (!isAtNewest) following.current = false;
  }, [isAtNewest]);
  const direction = useRef<'up' | 'down'>('down');
  const dragsScrollBar = useRef(false);
  const last = useRef<Geometry | null>(null);
  /** An upward gesture that has not moved the list yet. */
  const gesture = useRef<{ top: number; at: number } | null>(null);
  const [isScrolledUp, setIsScrolledUp] = useState(false);

  const follow = useCallback(() => {
    following.current = true;
    gesture.current = null;
    direction.current = 'down';
    setIsScrolledUp(false);
  }, []);

  const release = useCallback(() => {
    following.current = false;
    gesture.current = null;
    direction.current = 'up';
  }, []);

  /**
   * Detects a movement that no gesture announced. The browser and the virtual list move the view themselves when a
   * size changes, also twice between two looks. An upward movement is therefore the member's only if the rows have
   * moved down in the window.
   */
  const detectMovement = useCallback(() => {
    const element = scroller.current;
    const before = last.current;
    if (!element || !before) return;
    const now = geometryOf(element);
    const sameWindow = now.clientHeight === before.clientHeight;
    const drags = dragsScrollBar.current;
    if (now.top < before.top - 1) {
      if (drags || (sameWindow && hasMovedRows(before, now))) release();
      // Content that grows after this, within the same frame, would hide that it has shrunk.
      else if (now.height < before.height) last.current = now;
    } else if (now.top > before.top + 1) {
      if (drags || (sameWindow && now.height === before.height)) direction.current = 'down';
    }
  }, [release]);

  const keepAtBottom = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { current } = gesture;
    if (current && performance.now() > current.at + gestureTimeoutMs) {
      gesture.current = null;
      following.current = mayFollow.current && element.scrollTop >= current.top;
    }
    // The member may have moved the view since the last event, for example in the frame of an arriving message.
    if (following.current) detectMovement();
    // A list without overflow has no scroll events that could bring the member back.
    const fits = element.scrollHeight <= element.clientHeight;
    if (fits && mayFollow.current && !following.current) follow();
    if (!following.current) return;
    element.scrollTop = element.scrollHeight;
    last.current = geometryOf(element);
  }, [detectMovement, follow]);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    detectMovement();
    const now = geometryOf(element);
    const movedDown = now.top > (last.current?.top ?? 0);
    const { rest } = now;
    last.current = now;
    if (gesture.current && now.top < gesture.current.top) gesture.current = null;
    const hasReturned = direction.current === 'down' && movedDown && rest <= nearBottomPx;
    if (mayFollow.current && hasReturned) following.current = true;
    setIsScrolledUp(!following.current && rest > 1);
  }, [detectMovement]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let touchY = 0;
    const moveBy = (isUp: boolean) => {
      direction.current = isUp ? 'up' : 'down';
      if (!isUp || !following.current || element.scrollTop <= 0) return;
      // The scroll event may arrive before the gesture that caused it.
      const { top, rest } = geometryOf(element);
      const hasMoved = rest > nearBottomPx;
      if (hasMoved) setIsScrolledUp(true);
      following.current = false;
      gesture.current = hasMoved ? null : { top, at: performance.now() };
    };
    const listeners = new AbortController();
    const options = { passive: true, signal: listeners.signal };
    element.addEventListener(
      'wheel',
      ({ deltaY, ctrlKey, target }) => {
        const scrollsField = target instanceof HTMLTextAreaElement;
        if (deltaY !== 0 && !ctrlKey && !scrollsField) moveBy(deltaY < 0);
      },
      options,
    );
    element.addEventListener(
      'touchstart',
      ({ touches }) => {
        touchY = touches[0]?.clientY ?? 0;
      },
      options,
    );
    element.addEventListener(
      'touchmove',
      ({ touches }) => {
        const y = touches[0]?.clientY ?? touchY;
        if (y !== touchY) moveBy(y > touchY);
        touchY = y;
      },
      options,
    );
    element.addEventListener(
      'keydown',
      ({ key, target }) => {
        // The arrow keys and Home move the focus, which `detectMovement` sees.
        if (target instanceof HTMLTextAreaElement) return;
        if (key === 'PageUp') moveBy(true);
        else if (key === 'PageDown') moveBy(false);
      },
      options,
    );
    element.addEventListener(
      'focusin',
      ({ target }) => {
        // A screen reader moves the focus by script, and the browser may have scrolled to it already.
        const isAbove =
          target instanceof Element &&
          target.getBoundingClientRect().top < element.getBoundingClientRect().top;
        const hasMoved = last.current !== null && element.scrollTop < last.current.top - 1;
        if (target !== element && (isAbove || hasMoved)) release();
      },
      options,
    );
    element.addEventListener(
      'pointerdown',
      ({ target }) => {
        // Only the scroll bar and empty space have the scroller itself as the target.
        dragsScrollBar.current = target === element;
      },
      options,
    );
    for (const end of ['pointerup', 'pointercancel'] as const) {
      addEventListener(end, () => (dragsScrollBar.current = false), options);
    }
    return () => listeners.abort();
  }, [release]);

  const scrollByPage = useCallback(
    (way: 'up' | 'down') => {
      const element = scroller.current;
      if (!element) return;
      if (way === 'up' && element.scrollTop > 0) release();
      else direction.current = 'down';
      element.scrollBy({ top: element.clientHeight * (way === 'up' ? -pageShare : pageShare) });
    },
    [release],
  );

  // Rows, pictures and the window change size after the first render.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(keepAtBottom);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [keepAtBottom]);

  return useMemo(
    () => ({
      scrollerRef: scroller,
      following,
      isScrolledUp,
      follow,
      release,
      keepAtBottom,
      detectMovement,
      scrollByPage,
      onScroll,
    }),
    [isScrolledUp, follow, release, keepAtBottom, detectMovement, scrollByPage, onScroll],
  );
}

function geometryOf(element: HTMLElement): Geometry {
  const { scrollTop, scrollHeight, clientHeight } = element;
  const lastRow = element.querySelector('ol')?.lastElementChild ?? null;
  return {
    top: scrollTop,
    height: scrollHeight,
    clientHeight,
    rest: scrollHeight - scrollTop - clientHeight,
    lastRow,
    ...edgesOf(lastRow),
  };
}

function edgesOf(row: Element | null): Pick<Geometry, 'lastRowTop' | 'lastRowBottom'> {
  const { top = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {};
  return { lastRowTop: top, lastRowBottom: bottom };
}

/** Whether an upward movement has moved the rows down. If content shrinks, the browser moves the view itself. */
function hasMovedRows(before: Geometry, { height, rest }: Geometry): boolean {
  if (height < before.height || rest <= 1 || !before.lastRow) return false;
  // The list no longer renders a row that is far below the view.
  if (!before.lastRow.isConnected) return true;
  // A row that changes its size keeps one of its edges in place.
  const { lastRowTop, lastRowBottom } = edgesOf(before.lastRow);
  return lastRowTop > before.lastRowTop + 1 && lastRowBottom > before.lastRowBottom + 1;
}
