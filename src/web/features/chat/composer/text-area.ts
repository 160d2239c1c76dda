import type { KeyboardEvent } from 'react';

/** Makes a text area as high as its text. */
export function fitHeight(field: HTMLTextAreaElement | null, text: string): void {
  if (!field) return;
  field.style.height = 'auto';
  // An empty field keeps its one row, however long its placeholder is.
  if (text) field.style.height = `${field.scrollHeight}px`;
}

/** Some browsers report the key that ends a composition without `isComposing`, but with this code. */
const composing = 229;

/** Enter, unless it breaks the line or ends what an input method composes. */
export function isSendKey(event: KeyboardEvent): boolean {
  const { key, shiftKey, keyCode, nativeEvent } = event;
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== composing;
}
