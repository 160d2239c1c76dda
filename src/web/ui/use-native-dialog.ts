import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { createStore } from '#web/store.ts';

/** The modal dialogs, the topmost last. Everything outside of the topmost is inert. */
export const openDialogs = createStore<readonly HTMLDialogElement[]>([]);

/** Opens the `dialog` element on mount. `onDismiss` must unmount it. */
export function useNativeDialog(onDismiss: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    element.showModal();
    element.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    openDialogs.set([...openDialogs.getSnapshot(), element]);
    return () => {
      openDialogs.set(openDialogs.getSnapshot().filter((other) => other !== element));
      element.close();
      if (isFocusUndecided(element)) focusScreen();
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

/**
 * Whether a new screen opened behind the dialog and could not take the focus itself. The heading of the screen may have
 * the focus, because a room shows its heading before its composer. LAYOUT-13
 */
function isFocusUndecided(dialog: HTMLDialogElement | null): boolean {
  const { activeElement } = document;
  const isHeading = activeElement?.matches('#main h1') === true;
  return activeElement === document.body || isHeading || dialog?.contains(activeElement) === true;
}

function focusScreen(): void {
  const canHover = matchMedia('(hover: hover)').matches;
  // The dialog that closes may be inside `#main`.
  const field = canHover && '#main [data-first-focus]:not(dialog *)';
  const place = (field && document.querySelector<HTMLElement>(field)) || null;
  (place ?? document.querySelector<HTMLElement>('#main h1'))?.focus({ preventScroll: true });
}
