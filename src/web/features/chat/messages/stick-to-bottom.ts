import type { RefObject } from 'react';
import { createStore } from '#web/store.ts';

/** A view that ends this near to the end of the list shows the end. */
const nearEndPx = 48;
/** The browser rounds heights, so a view at the end can have this distance. */
const roundingPx = 1;
/** The browser animates the movement of a wheel or a key, and a jump to the end would stop the animation. */
const gestureMs = 300;
/** The list has found the place that it opens at when it has measured nothing for this long. */
const placedMs = 300;
/** The share of the visible height that one page is. */
const pageShare = 0.875;

/**
 * Stick-to-bottom: a member who sees the end of the list keeps seeing it until the member moves up. A change of the list
 * or of a size also makes the browser and the virtual list move the view. So a scroll position tells of the member's
 * movements only in scroll events and before such a change.
 */
export class StickToBottom {
  readonly isScrolledUp = createStore(false);
  readonly #scroller: RefObject<HTMLElement | null>;
  #isFollowing: boolean;
  /** The list has not measured the rows of the place that it opens at. */
  #isOpening: boolean;
  /** The last row is the newest message. */
  #isAtNewest = true;
  /** The scroll position and the visible height when this class read them last. */
  #top = 0;
  #height = 0;
  /** The distance from the end at which the list follows its end again. After a movement up, only the end itself counts. */
  #reachPx = nearEndPx;
  #gestureTimer: ReturnType<typeof setTimeout> | undefined;
  #isPlaced: boolean;
  #onPlaced = () => {};
  #placedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(scroller: RefObject<HTMLElement | null>, isFollowing: boolean) {
    this.#scroller = scroller;
    this.#isFollowing = isFollowing;
    this.#isOpening = !isFollowing;
    this.#isPlaced = isFollowing;
  }

  /** False while the list looks for the place that it shows. A page that comes above it would end the search. */
  get isPlaced(): boolean {
    return this.#isPlaced;
  }

  setOnPlaced(onPlaced: () => void): void {
    this.#onPlaced = onPlaced;
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
  }

  /** The list is about to show another place. It follows its end again if that place shows it. */
  release(): void {
    this.#isFollowing = false;
    this.#isOpening = true;
    this.#reachPx = nearEndPx;
    this.seekPlace();
  }

  /** The virtual list is about to scroll to a message, which takes until it has measured the rows around it. */
  seekPlace = (): void => {
    this.#isPlaced = false;
    clearTimeout(this.#placedTimer);
    this.#placedTimer = setTimeout(() => {
      this.#isPlaced = true;
      this.#onPlaced();
    }, placedMs);
  };

  /** Notices the member's movements. Call it before each change of the list. */
  trackMovement = (): void => {
    const element = this.#scroller.current;
    if (!element) return;
    const movedPx = element.scrollTop - this.#top;
    // A window that becomes higher moves the view, too, and it can be lower again when the browser reports that.
    if (movedPx !== 0 && element.clientHeight === this.#height) {
      if (movedPx < 0) this.#isFollowing = false;
      this.#reachPx = movedPx < 0 ? roundingPx : nearEndPx;
    }
    this.#lookAtEnd(element);
  };

  onScroll(): void {
    this.trackMovement();
    this.isScrolledUp.set(!this.#isFollowing);
  }

  /** Call after each change of the list. */
  keepAtEnd = (): void => {
    const element = this.#scroller.current;
    if (!element || this.#gestureTimer !== undefined) return;
    if (this.#isFollowing) element.scrollTop = element.scrollHeight;
    this.#lookAtEnd(element);
    if (this.#isFollowing) this.isScrolledUp.set(false);
  };

  /** The virtual list has measured rows or the window. */
  onResize = (): void => {
    if (!this.#isPlaced) this.seekPlace();
    // The virtual list goes on scrolling to the place that it opens at in a microtask after this event.
    queueMicrotask(() =>
      queueMicrotask(() => {
        this.#isOpening = false;
        this.keepAtEnd();
      }),
    );
  };

  /** The member turned the wheel up or pressed a key that moves the view up. */
  onGesture(): void {
    this.#endGesture();
    this.#gestureTimer = setTimeout(() => {
      this.#endGesture();
      this.trackMovement();
      this.keepAtEnd();
    }, gestureMs);
  }

  scrollByPage(direction: 'up' | 'down'): void {
    const element = this.#scroller.current;
    const share = direction === 'up' ? -pageShare : pageShare;
    element?.scrollBy({ top: element.clientHeight * share });
  }

  #lookAtEnd(element: HTMLElement): void {
    const { scrollTop, scrollHeight, clientHeight } = element;
    this.#top = scrollTop;
    this.#height = clientHeight;
    const distanceToEnd = scrollHeight - scrollTop - clientHeight;
    const showsEnd = !this.#isOpening && distanceToEnd <= this.#reachPx;
    if (showsEnd) this.#isFollowing = this.#isAtNewest;
  }

  #endGesture(): void {
    clearTimeout(this.#gestureTimer);
    this.#gestureTimer = undefined;
  }
}
