import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react';
import { keepTextFocus } from './use-input-modality.ts';
import type { Anchor } from './menu.tsx';

const longPressMs = 500;
const moveTolerancePx = 8;

/**
 * Handles right-click, the menu key and the long press on touch devices.
 *
 * @param onOpen receives the position for a menu
 * @param isNative whether to keep the browser's own menu, for example over a link
 */
export function useContextMenu(
  onOpen: (anchor: Anchor) => void,
  isNative: (target: Element) => boolean = () => false,
) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const from = useRef({ x: 0, y: 0 });
  const isLongPress = useRef(false);
  const cancel = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    onContextMenu(event: MouseEvent) {
      if (!isLongPress.current && isNative(event.target as Element)) return;
      event.preventDefault();
      cancel();
      if (!isLongPress.current) onOpen(toAnchor(event));
    },
    onMouseDown(event: MouseEvent) {
      if (event.button === 2) keepTextFocus(event);
    },
    onPointerDown(event: PointerEvent) {
      isLongPress.current = false;
      if (event.pointerType !== 'touch' || isNative(event.target as Element)) return;
      const anchor = toAnchor(event);
      from.current = { x: event.clientX, y: event.clientY };
      timer.current = setTimeout(() => {
        isLongPress.current = true;
        suppressNextClick();
        onOpen(anchor);
      }, longPressMs);
    },
    onPointerUp: cancel,
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = from.current;
      if (Math.abs(clientX - x) + Math.abs(clientY - y) > moveTolerancePx) cancel();
    },
    onPointerCancel: cancel,
  };
}

/** The pointer position, or the element itself for the menu key, which has no pointer position. */
function toAnchor({ clientX: x, clientY: y, currentTarget }: MouseEvent): Anchor {
  const box = currentTarget.getBoundingClientRect();
  const isInside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  return isInside && x + y > 0 ? { left: x, right: x, top: y, bottom: y } : box;
}

/** Swallows the click that fires on the element below the finger when a long press ends. */
function suppressNextClick(): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    stopListening();
  };
  const stopListening = () => {
    window.removeEventListener('click', swallow, { capture: true });
    window.removeEventListener('pointerdown', stopListening, { capture: true });
  };
  window.addEventListener('click', swallow, { capture: true });
  window.addEventListener('pointerdown', stopListening, { capture: true });
}
