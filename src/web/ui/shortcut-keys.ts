const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether the platform's shortcut modifier is pressed alone: ⌘ on Apple devices, Ctrl elsewhere. */
export function hasShortcutModifier(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  return !altKey && !shiftKey && (isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey);
}

/**
 * Whether Alt and this letter are pressed. On Apple devices the character depends on the keyboard, so the place of the key
 * counts, and a text field takes the character.
 */
export function isAltLetter(event: KeyboardEvent, letter: string): boolean {
  const { key, code, altKey, ctrlKey, metaKey, shiftKey, target } = event;
  if (!altKey || ctrlKey || metaKey || shiftKey) return false;
  if (isApple) return code === `Key${letter.toUpperCase()}` && !isTextEntry(target);
  return key.toLowerCase() === letter;
}

/** The names of the modifier keys, as the keyboard shows them. */
export const shortcutModifier = isApple ? '⌘' : 'Ctrl';
export const altModifier = isApple ? '⌥' : 'Alt';

/** Whether the element takes typed text, so that a shortcut of one character must not run. */
export function isTextEntry(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable]') !== null
  );
}

export type Format = 'bold' | 'italic' | 'code' | 'strike';

const formatKeys: Readonly<Record<string, Format>> = { b: 'bold', i: 'italic', e: 'code' };

/** The Markdown that a shortcut of the message field writes, or null. */
export function findFormat(event: KeyboardEvent): Format | null {
  const key = event.key.toLowerCase();
  if (hasShortcutModifier(event)) return formatKeys[key] ?? null;
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  const hasModifier = isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return key === 'x' && hasModifier && shiftKey && !altKey ? 'strike' : null;
}

/** Some browsers report the key that ends an IME composition without `isComposing`, but with this code. */
const compositionKeyCode = 229;

/** Whether the key belongs to an IME composition. */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === compositionKeyCode;
}
