import { type RefObject, useEffect, useEffectEvent } from 'react';
import { longPressMs, startVibration } from '#web/ui/use-context-menu.ts';
import { messageAttribute } from './use-message-keys.ts';
import styles from './swipe-to-reply.module.css';

/** The distance after which the movement of a finger has a direction. */
const slopPx = 10;
/** The distance from which on lifting the finger replies. */
const replyPx = 56;
const maxPx = 72;
/** The width of the edges of the screen, where the browser and the phone have gestures of their own. */
const screenEdgePx = 32;

interface Props {
  scroller: RefObject<HTMLElement | null>;
  onReply: (id: string) => void;
}

/** A finger that swipes a message to the side replies to it. */
export function SwipeToReply({ scroller, onReply }: Props) {
  const reply = useEffectEvent(onReply);
  useEffect(() => {
    const { current: list } = scroller;
    if (!list) return;
    const gesture = new SwipeGesture((id) => reply(id));
    const listening = new AbortController();
    const { signal } = listening;
    list.addEventListener('pointerdown', gesture.onDown, { signal });
    list.addEventListener('pointermove', gesture.onMove, { signal });
    list.addEventListener('pointerup', gesture.onUp, { signal });
    // The browser scrolls the list instead.
    list.addEventListener('pointercancel', gesture.cancel, { signal });
    list.addEventListener('contextmenu', gesture.onContextMenu, { signal });
    return () => {
      gesture.cancel();
      listening.abort();
    };
  }, [scroller]);
  return null;
}

interface Touch {
  start: PointerEvent;
  row: HTMLElement;
  isSwipe: boolean;
  isReady: boolean;
}

class SwipeGesture {
  readonly #onReply: (id: string) => void;
  #touch: Touch | null = null;

  constructor(onReply: (id: string) => void) {
    this.#onReply = onReply;
  }

  onDown = (start: PointerEvent): void => {
    // A second finger zooms.
    this.cancel();
    const row = start.isPrimary && start.pointerType === 'touch' ? findSwipedRow(start) : null;
    if (row) this.#touch = { start, row, isSwipe: false, isReady: false };
  };

  onMove = (event: PointerEvent): void => {
    const touch = this.#touch;
    if (touch?.start.pointerId !== event.pointerId) return;
    const { start, row } = touch;
    const direction = getComputedStyle(row).direction === 'rtl' ? -1 : 1;
    const sidePx = (event.clientX - start.clientX) * direction;
    if (!touch.isSwipe) {
      const isHeld = event.timeStamp - start.timeStamp >= longPressMs;
      const isSwipe = isHeld ? false : isSwipeMovement(sidePx, event.clientY - start.clientY);
      if (isSwipe === false) this.#touch = null;
      if (!isSwipe) return;
      touch.isSwipe = true;
    }
    const movedPx = Math.max(0, Math.min(sidePx - slopPx, maxPx));
    const isReady = movedPx >= replyPx;
    if (isReady && !touch.isReady) startVibration();
    touch.isReady = isReady;
    row.classList.add(`${styles.moved}`);
    row.classList.toggle(`${styles.ready}`, isReady);
    row.style.setProperty('--swipe', `${movedPx * direction}px`);
  };

  onUp = (): void => {
    const touch = this.#touch;
    this.cancel();
    const id = touch?.row.getAttribute(messageAttribute);
    if (touch?.isReady && id) this.#onReply(id);
  };

  /** A finger that rests during a swipe is no long press. */
  onContextMenu = (event: Event): void => {
    if (!this.#touch?.isSwipe) return;
    event.preventDefault();
    event.stopPropagation();
  };

  cancel = (): void => {
    this.#touch?.row.classList.remove(`${styles.moved}`, `${styles.ready}`);
    this.#touch = null;
  };
}

/** Whether a finger swipes to the side, away from the start of the line. Null: it has not moved enough. */
function isSwipeMovement(sidePx: number, downPx: number): boolean | null {
  const across = Math.abs(downPx);
  if (Math.max(Math.abs(sidePx), across) < slopPx) return null;
  return sidePx >= slopPx && sidePx > 1.5 * across;
}

/** The message below the finger, unless it offers no reply or the browser needs the movement itself. */
function findSwipedRow({ target, clientX }: PointerEvent): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  const row = target.closest<HTMLElement>(`[${messageAttribute}]`);
  // A message that is not sent, is edited or has no content has no tools. In selected text, the finger moves the selection.
  if (!row?.querySelector('[role=toolbar]') || row.dataset['selectable'] !== undefined) return null;
  const isAtEdge = clientX < screenEdgePx || clientX > window.innerWidth - screenEdgePx;
  return isAtEdge || canScrollSideways(target, row) ? null : row;
}

/** Whether the element is part of a table, a formula or code that is wider than its message. */
function canScrollSideways(target: Element, row: Element): boolean {
  for (let element: Element | null = target; element && element !== row;) {
    const isWider = element.scrollWidth > element.clientWidth;
    if (isWider && /auto|scroll/.test(getComputedStyle(element).overflowX)) return true;
    element = element.parentElement;
  }
  return false;
}
