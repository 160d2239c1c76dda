import { type RefObject, useLayoutEffect, useRef } from 'react';

const durationMs = 250;

/** Moves the rows of a list to their new places when their order changes. */
export function useSlidingRows(): RefObject<HTMLOListElement | null> {
  const list = useRef<HTMLOListElement>(null);
  const lastTops = useRef(new Map<Element, number>());
  useLayoutEffect(() => {
    const rows = [...(list.current?.children ?? [])] as HTMLElement[];
    const tops = new Map<Element, number>(rows.map((row) => [row, row.offsetTop]));
    const isMoving = !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const [row, top] of tops) {
      const distance = (lastTops.current.get(row) ?? top) - top;
      if (distance === 0 || !isMoving) continue;
      const frames = [{ translate: `0 ${distance}px` }, { translate: '0 0' }];
      row.animate(frames, { duration: durationMs, easing: 'ease-out' });
    }
    lastTops.current = tops;
  });
  return list;
}
