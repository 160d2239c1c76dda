import { type FocusEvent, useLayoutEffect, useRef } from 'react';

/**
 * If the focused control disappears, moves the focus to the closest element around it that can have the focus. Otherwise the keys
 * would start again at the top of the page.
 *
 * @returns the properties of an element around the controls
 */
export function useLostFocus() {
  /** The focused control, then the elements around it. */
  const path = useRef<EventTarget[]>([]);
  useLayoutEffect(() => {
    if (document.activeElement !== document.body) return;
    const place = path.current.find(isFocusable);
    place?.focus({ preventScroll: true });
  });
  const savePath = ({ type, nativeEvent }: FocusEvent) => {
    path.current = type === 'focus' ? nativeEvent.composedPath() : [];
  };
  return { onFocus: savePath, onBlur: savePath };
}

function isFocusable(target: EventTarget): target is HTMLElement {
  return target instanceof HTMLElement && target.isConnected && target.hasAttribute('tabindex');
}
