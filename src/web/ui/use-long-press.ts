import { type MouseEvent, type PointerEvent, useRef } from 'react';

const holdMs = 500;

/** Right-click, the menu key and, by touch, a long press: one handler for all three. */
export function useLongPress(act: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const held = useRef(false);
  const cancel = () => clearTimeout(timer.current);
  return {
    onContextMenu(event: MouseEvent) {
      event.preventDefault();
      cancel();
      if (!held.current) act();
    },
    onPointerDown(event: PointerEvent) {
      held.current = false;
      if (event.pointerType !== 'touch') return;
      timer.current = setTimeout(() => {
        held.current = true;
        act();
      }, holdMs);
    },
    onPointerUp: cancel,
    onPointerMove: (event: PointerEvent) => {
      if (Math.abs(event.movementX) + Math.abs(event.movementY) > 4) cancel();
    },
    onPointerCancel: cancel,
    onClickCapture(event: MouseEvent) {
      // The finger that was held down comes up as a click: it was not one.
      if (held.current) {
        event.preventDefault();
        event.stopPropagation();
      }
      held.current = false;
    },
  };
}
