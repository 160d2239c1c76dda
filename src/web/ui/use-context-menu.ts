import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react';
import { keepTextFocus } from './use-input-modality.ts';
import type { Anchor } from './menu.tsx';

export const longPressMs = 500;
const moveTolerancePx = 8;
const vibrationMs = 10;

/**
 * Handles right-click, the menu key and the long press on touch devices.
 *
 * @param onOpen receives the position for a menu, and the pressed element
 * @param isNative whether to keep the browser's own menu, for example over a link
 */
export function useContextMenu(
  onOpen: (anchor: Anchor, target: Element) => void,
  isNative: (target: Element) => boolean = () => false,
) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const from = useRef({ x: 0, y: 0 });
  const isLongPress = useRef(false);
  const cancel = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    onContextMenu(event: MouseEvent) {
      const target = event.target as Element;
      if (!isLongPress.current && isNative(target)) return;
      event.preventDefault();
      cancel();
      if (!isLongPress.current) onOpen(toAnchor(event), target);
    },
    onMouseDown(event: MouseEvent) {
      if (event.button === 2) keepTextFocus(event);
    },
    onPointerDown(event: PointerEvent) {
      const target = event.target as Element;
      isLongPress.current = false;
      if (event.pointerType !== 'touch' || isNative(target)) return;
      const anchor = toAnchor(event);
      from.current = { x: event.clientX, y: event.clientY };
      timer.current = setTimeout(() => {
        isLongPress.current = true;
        suppressNextClick();
        startVibration();
        onOpen(anchor, target);
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

/** Confirms a gesture. Browsers reject a vibration before the first tap on the page, and iOS has none. */
export function startVibration(): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(vibrationMs);
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
