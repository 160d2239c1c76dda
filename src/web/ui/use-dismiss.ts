import { type RefObject, useEffect } from 'react';

/** Calls `dismiss` on a press outside `inside` while `open` is true. */
export function useDismiss(
  inside: RefObject<HTMLElement | null>,
  open: boolean,
  dismiss: () => void,
): void {
  useEffect(() => {
    if (!open) return;
    const pressed = (event: Event) => {
      if (event.target instanceof Node && !inside.current?.contains(event.target)) dismiss();
    };
    document.addEventListener('pointerdown', pressed);
    return () => document.removeEventListener('pointerdown', pressed);
  }, [inside, open, dismiss]);
}
