import type { KeyboardEvent } from 'react';
import { isComposing } from '#web/ui/shortcut-keys.ts';

interface OpenSuggestions {
  count: number;
  /** The index of the suggestion that Enter chooses. */
  active: number;
  onActive: (index: number) => void;
  onChoose: () => void;
  onClose: () => void;
}

/**
 * Handles the keys of an open list of suggestions, while the text field has the focus.
 *
 * @returns whether the key belongs to the list
 */
export function handleSuggestionKey(event: KeyboardEvent, list: OpenSuggestions): boolean {
  const { key, nativeEvent, shiftKey, ctrlKey, altKey, metaKey } = event;
  if (isComposing(nativeEvent) || shiftKey || ctrlKey || altKey || metaKey) return false;
  const { count, active } = list;
  if (key === 'ArrowDown') list.onActive((active + 1) % count);
  else if (key === 'ArrowUp') list.onActive((active + count - 1) % count);
  else if (key === 'Enter' || key === 'Tab') list.onChoose();
  else if (key === 'Escape') list.onClose();
  else return false;
  event.preventDefault();
  return true;
}
