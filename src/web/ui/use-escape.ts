import { useEffect, useEffectEvent } from 'react';
import { isComposing } from './shortcut-keys.ts';

/** Whether a dialog or a menu is open. A tooltip opens when a pointer rests, and does not count. */
export function hasOpenLayer(): boolean {
  return document.querySelector('dialog[open], :popover-open:not([role=tooltip])') !== null;
}

/** Calls `onClose` on Escape, unless the focused element handled the key or a dialog or menu is on top. */
export function useEscape(isOpen: boolean, onClose: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
    if (!hasOpenLayer()) onClose();
  });
  useEffect(() => {
    if (!isOpen) return;
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, [isOpen]);
}
