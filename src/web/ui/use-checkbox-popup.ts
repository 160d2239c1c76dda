import { type FocusEvent, useCallback, useRef, useState } from 'react';
import { useDismiss } from '#web/ui/use-dismiss.ts';

/** A button that opens a popup of checkboxes. Esc closes it, and so does what is pressed or focused outside. */
export function useCheckboxPopup() {
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);
  useDismiss(root, isOpen, close);
  const closeAndRefocus = () => {
    button.current?.focus();
    close();
  };
  /** @returns whether the key opened or closed the popup */
  const handleKey = (key: string): boolean => {
    if (key === 'Escape' && isOpen) closeAndRefocus();
    else if (key === 'ArrowDown' && !isOpen) setIsOpen(true);
    else return false;
    return true;
  };
  const handleBlur = ({ relatedTarget }: FocusEvent) => {
    // Without a `relatedTarget`, the member pressed a label or the popup itself.
    if (relatedTarget && !root.current?.contains(relatedTarget)) close();
  };
  return { root, button, isOpen, setIsOpen, closeAndRefocus, handleKey, handleBlur };
}
