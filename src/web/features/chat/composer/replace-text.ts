/** Replaces the text from `from` to `to`, then selects from `selectFrom` to `selectTo` of the result. */
export interface TextEdit {
  from: number;
  to: number;
  insert: string;
  selectFrom: number;
  selectTo: number;
}

export interface FieldSelection {
  text: string;
  from: number;
  to: number;
}

/** The text and the selection of the field. */
export function getFieldSelection(field: HTMLTextAreaElement): FieldSelection {
  return { text: field.value, from: field.selectionStart, to: field.selectionEnd };
}

/** Applies the edit as if the member typed it, so that the browser's undo reverts it. */
export function replaceText(field: HTMLTextAreaElement, edit: TextEdit): void {
  const { from, to, insert, selectFrom, selectTo } = edit;
  const { selectionDirection } = field;
  // Its room was left: the browser would type into the field of another one.
  if (!field.isConnected) return;
  field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  const command = insert === '' ? 'delete' : 'insertText';
  const isChange = from !== to || insert !== '';
  // Deprecated, but the only way that keeps the browser's undo history.
  if (isChange && !document.execCommand(command, false, insert)) {
    field.setRangeText(insert, from, to);
    field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
  }
  // The next Shift and arrow move the same end.
  field.setSelectionRange(selectFrom, selectTo, selectionDirection);
}
