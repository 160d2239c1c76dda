import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Opens the `dialog` element on mount. `onDismiss` must unmount it. */
export function useNativeDialog(onDismiss: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    return () => {
      element?.close();
      const { activeElement } = document;
      if (activeElement === document.body || element?.contains(activeElement)) focusScreen();
    };
  }, []);
  useEffect(() => {
    const element = dialog.current;
    const onCancel = (event: Event) => {
      event.preventDefault();
      onDismiss();
    };
    element?.addEventListener('cancel', onCancel);
    return () => element?.removeEventListener('cancel', onCancel);
  }, [onDismiss]);
  return dialog;
}

/** The screen behind the dialog is a new one. It could not take the focus itself. LAYOUT-13 */
function focusScreen(): void {
  const field = matchMedia('(hover: hover)').matches && '#main [data-first-focus]';
  const place = (field && document.querySelector<HTMLElement>(field)) || null;
  (place ?? document.querySelector<HTMLElement>('#main h1'))?.focus({ preventScroll: true });
}
