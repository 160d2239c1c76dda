/** Makes a text area as high as its text. */
export function fitHeight(field: HTMLTextAreaElement | null, text: string): void {
  if (!field) return;
  field.style.height = 'auto';
  // An empty field keeps its one row, however long its placeholder is.
  if (text) field.style.height = `${field.scrollHeight}px`;
}
