import { messageAttribute } from './use-message-keys.ts';

/**
 * Selects the text of a message on a touch device, where a long press otherwise opens the menu. While it is
 * selected, the browser's own handles and menu work in this message.
 */
export function selectText(id: string): void {
  const row = document.querySelector<HTMLElement>(`[${messageAttribute}="${id}"]`);
  const text = row?.querySelector('[data-message-text]');
  const selection = getSelection();
  if (!row || !text || !selection) return;
  // The menu that calls this gives the focus back to the composer, and a field with the focus ends the selection.
  queueMicrotask(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    row.dataset['selectable'] = '';
    selection.selectAllChildren(text);
    document.addEventListener('selectionchange', onChange);
  });
  const onChange = () => {
    if (!selection.isCollapsed) return;
    delete row.dataset['selectable'];
    document.removeEventListener('selectionchange', onChange);
  };
}
