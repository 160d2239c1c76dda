import type { RefObject } from 'react';
import { createStore } from '#web/store.ts';

/** A member who scrolls down to this distance from the end follows the end again. */
const nearEndPx = 48;
/** The browser animates the movement of a wheel or a key, and a jump to the end would stop the animation. */
const gestureMs = 300;
/** The share of the visible height that one page is. */
const pageShare = 0.875;

interface Geometry {
  top: number;
  height: number;
  clientHeight: number;
  /** The distance between the end of the content and of the window. */
  distanceToEnd: number;
  lastRow: Element | null;
  /** The distances of the last row's edges from the end of the window. */
  edges: { top: number; bottom: number };
}

/**
 * Stick-to-bottom: a member who sees the end of the list keeps seeing it until the member moves up. When a size changes,
 * the browser and the virtual list move the view, and the list goes on following its end.
 */
export class StickToBottom {
  readonly isScrolledUp = createStore(false);
  #scroller: RefObject<HTMLElement | null>;
  #isFollowing: boolean;
  /** The last row is the newest message. */
  #isAtNewest = true;
  #lastGeometry: Geometry | null = null;
  #gestureTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(scroller: RefObject<HTMLElement | null>, isFollowing: boolean) {
    this.#scroller = scroller;
    this.#isFollowing = isFollowing;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  setAtNewest(isAtNewest: boolean): void {
    this.#isAtNewest = isAtNewest;
    if (!isAtNewest) this.#isFollowing = false;
  }

  follow(): void {
    this.#isFollowing = true;
    this.#endGesture();
    this.isScrolledUp.set(false);
  }

  /** The list is about to show another place. */
  release(): void {
    this.#isFollowing = false;
  }

  /** Notices the member's movements. Call it before each change of the list, which looks like a movement afterwards. */
  trackMovement = (): void => {
    const element = this.#scroller.current;
    if (!element) return;
    const previousGeometry = this.#lastGeometry;
    const geometry = measure(element);
    const isSameSize =
      previousGeometry?.height === geometry.height &&
      previousGeometry.clientHeight === geometry.clientHeight;
    if (geometry.distanceToEnd <= 1) {
      this.#isFollowing = this.#isAtNewest;
    } else if (previousGeometry && hasMovedUp(previousGeometry, geometry, element)) {
      this.#isFollowing = false;
    } else if (this.#isFollowing) {
      // The steps of a slow movement add up.
      if (isSameSize) return;
    } else if (
      isSameSize &&
      geometry.top > previousGeometry.top &&
      geometry.distanceToEnd <= nearEndPx
    ) {
      this.#isFollowing = this.#isAtNewest;
    }
    this.#lastGeometry = geometry;
  };

  /** Call after each change of the list or of a size. */
  keepAtEnd = (): void => {
    this.trackMovement();
    const element = this.#scroller.current;
    if (!element || !this.#isFollowing || this.#gestureTimer !== undefined) return;
    element.scrollTop = element.scrollHeight;
    this.#lastGeometry = measure(element);
    this.isScrolledUp.set(false);
  };

  onScroll(): void {
    this.trackMovement();
    this.isScrolledUp.set(!this.#isFollowing && (this.#lastGeometry?.distanceToEnd ?? 0) > 1);
  }

  /** The member turned the wheel up or pressed a key that moves the view up. */
  onGesture(): void {
    this.#endGesture();
    this.#gestureTimer = setTimeout(() => {
      this.#endGesture();
      this.keepAtEnd();
    }, gestureMs);
  }

  scrollByPage(direction: 'up' | 'down'): void {
    const element = this.#scroller.current;
    const share = direction === 'up' ? -pageShare : pageShare;
    element?.scrollBy({ top: element.clientHeight * share });
  }

  #endGesture(): void {
    clearTimeout(this.#gestureTimer);
    this.#gestureTimer = undefined;
  }
}

function measure(element: HTMLElement): Geometry {
  const { scrollTop: top, scrollHeight: height, clientHeight } = element;
  const distanceToEnd = height - top - clientHeight;
  const lastRow = element.querySelector('ol')?.lastElementChild ?? null;
  return {
    top,
    height,
    clientHeight,
    distanceToEnd,
    lastRow,
    edges: measureEdges(lastRow, element),
  };
}

function measureEdges(row: Element | null, scroller: HTMLElement): Geometry['edges'] {
  const { top = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {};
  const end = scroller.getBoundingClientRect().bottom;
  return { top: top - end, bottom: bottom - end };
}

/** Whether an upward movement has moved the rows down. If content shrinks, the browser moves the view itself. */
function hasMovedUp(
  previousGeometry: Geometry,
  geometry: Geometry,
  scroller: HTMLElement,
): boolean {
  const { lastRow, edges } = previousGeometry;
  if (
    geometry.top >= previousGeometry.top ||
    geometry.height < previousGeometry.height ||
    !lastRow
  ) {
    return false;
  }
  // The list no longer renders a row that is far below the view.
  if (!lastRow.isConnected) return true;
  // A row that changes its size keeps one of its edges in place.
  const { top, bottom } = measureEdges(lastRow, scroller);
  return top > edges.top + 1 && bottom > edges.bottom + 1;
}
