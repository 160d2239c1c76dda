import { type RefObject, useEffect } from 'react';
import { useBackToClose } from './use-back-to-close.ts';

/** Calls `onDismiss` while `open` is true: on a press outside the container, and on Back on touch devices. */
export function useDismiss(
  container: RefObject<HTMLElement | null>,
  open: boolean,
  onDismiss: () => void,
): void {
  useBackToClose(onDismiss, open);
  useEffect(() => {
    if (!open) return;
    const onPointerDown = (event: Event) => {
      if (event.target instanceof Node && !container.current?.contains(event.target)) onDismiss();
    };
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [container, open, onDismiss]);
}
