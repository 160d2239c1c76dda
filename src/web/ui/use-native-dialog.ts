import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Opens the `dialog` element on mount. `onDismiss` must unmount it. */
export function useNativeDialog(onDismiss: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    return () => element?.close();
  }, []);
  useEffect(() => {
    const element = dialog.current;
    const cancelled = (event: Event) => {
      event.preventDefault();
      onDismiss();
    };
    element?.addEventListener('cancel', cancelled);
    return () => element?.removeEventListener('cancel', cancelled);
  }, [onDismiss]);
  return dialog;
}
