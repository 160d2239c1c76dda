import { type RefObject, useEffect } from 'react';

/** Calls `dismiss` on a press outside `inside` while `open` is true. */
export function useDismiss(
  container: RefObject<HTMLElement | null>,
  open: boolean,
  dismiss: () => void,
): void {
  useEffect(() => {
    if (!open) return;
    const onPointerDown = (event: Event) => {
      if (event.target instanceof Node && !container.current?.contains(event.target)) dismiss();
    };
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [container, open, dismiss]);
}
