import { useEffect, useRef } from 'react';

/** How far below the window something counts as near, in pixels. */
const near = 400;

/** @returns a ref for an element: `act` is called when it comes near the window, and again when `key` changes while it is */
export function useNearEnd<E extends Element>(key: unknown, act: (end: E) => void) {
  const end = useRef<E>(null);
  useEffect(() => {
    const element = end.current;
    if (!element) return;
    const watching = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) act(element);
      },
      // A margin holds for what scrolls alone, which is the screen and not the window.
      { root: element.closest('main'), rootMargin: `0px 0px ${near}px` },
    );
    watching.observe(element);
    return () => watching.disconnect();
    // oxlint-disable-next-line react/exhaustive-deps -- `act` is another one in each render.
  }, [key]);
  return end;
}
