import { type RefObject, useEffect } from 'react';
import type { StickToBottom } from './stick-to-bottom.ts';

/**
 * Keeps the rows where they are on the screen when something above the list comes or goes, such as a banner. At the end,
 * the list follows its end instead.
 */
export function useRowsInPlace(
  scrollerRef: RefObject<HTMLElement | null>,
  bottom: StickToBottom,
): void {
  useEffect(() => {
    const scroller = scrollerRef.current;
    if (!scroller) return;
    const measureTop = () => scroller.getBoundingClientRect().top;
    let top = measureTop();
    // What takes height from the list also changes its size.
    const observer = new ResizeObserver(() => {
      const previousTop = top;
      top = measureTop();
      if (!bottom.isFollowing) scroller.scrollTop += top - previousTop;
    });
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [scrollerRef, bottom]);
}
