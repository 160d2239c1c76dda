import type { KeyboardEvent } from 'react';
import { isComposing } from '#web/ui/shortcut-keys.ts';

interface OpenSuggestions<Option> {
  options: readonly Option[];
  /** The index of the suggestion that the member has named or moved to. Null: Enter belongs to the text. */
  active: number | null;
  onActive: (index: number) => void;
  onChoose: (option: Option) => void;
  onClose: () => void;
}

/**
 * Handles the keys of an open list of suggestions, while the text field has the focus.
 *
 * @returns whether the key belongs to the list
 */
export function handleSuggestionKey<Option>(
  event: KeyboardEvent,
  list: OpenSuggestions<Option>,
): boolean {
  const { key, nativeEvent, shiftKey, ctrlKey, altKey, metaKey } = event;
  if (isComposing(nativeEvent) || shiftKey || ctrlKey || altKey || metaKey) return false;
  const { options, active } = list;
  const count = options.length;
  const activeOption = options[active ?? -1];
  const [firstOption] = options;
  if (!firstOption) return false;
  if (key === 'ArrowDown') list.onActive(((active ?? -1) + 1) % count);
  else if (key === 'ArrowUp') list.onActive(((active ?? count) + count - 1) % count);
  else if (key === 'Tab') list.onChoose(activeOption ?? firstOption);
  else if (key === 'Enter' && activeOption) list.onChoose(activeOption);
  else if (key === 'Escape') list.onClose();
  else return false;
  event.preventDefault();
  return true;
}
