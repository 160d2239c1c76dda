import type { KeyboardEvent } from 'react';

/** Fits the height of a text area to its text. */
export function fitHeight(field: HTMLTextAreaElement | null, text: string): void {
  if (!field) return;
  field.style.height = 'auto';
  // An empty field keeps one row, even if its placeholder is longer.
  if (text) field.style.height = `${field.scrollHeight}px`;
}

/**
 * Some browsers report the key that ends an IME composition without `isComposing`, but with this key code.
 */
const composing = 229;

/** Whether the key is Enter and neither inserts a line break nor ends an IME composition. */
export function isSendKey(event: KeyboardEvent): boolean {
  const { key, shiftKey, keyCode, nativeEvent } = event;
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== composing;
}
