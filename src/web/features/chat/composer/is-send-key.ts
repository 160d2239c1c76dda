import type { KeyboardEvent } from 'react';

/** Some browsers report the key that ends a composition without `isComposing`, but with this code. */
const composing = 229;

/** Enter, unless it breaks the line or ends what an input method composes. */
export function isSendKey(event: KeyboardEvent): boolean {
  const { key, shiftKey, keyCode, nativeEvent } = event;
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== composing;
}
