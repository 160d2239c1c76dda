import { isRightToLeft } from '#web/get-text.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** ASCII that keyboards of other alphabets type where the US keyboard has another key: Hebrew, Bulgarian, Russian. */
const asciiOfOtherAlphabets = ['KeyQ /', 'KeyQ ,', 'Slash .'];

/**
 * The key of a shortcut: what the key types, in lower case. On a keyboard of another alphabet, such as Greek or Arabic, it is what the
 * US keyboard has in the same place.
 */
export function getShortcutKey({ key, code, shiftKey }: KeyboardEvent): string {
  const isAscii = /^[!-~]$/.test(key) && !asciiOfOtherAlphabets.includes(`${code} ${key}`);
  if (isAscii) return key.toLowerCase();
  if (code === 'Slash') return shiftKey ? '?' : '/';
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

/** The key as it works from left to right: from right to left, the left arrow leads to the next item. */
export function mirrorArrow(key: string): string {
  if (!isRightToLeft()) return key;
  return { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft', '←': '→', '→': '←' }[key] ?? key;
}

/** Whether the platform's shortcut modifier (⌘ on Apple devices, Ctrl elsewhere) and this key are pressed, and no other modifier. */
export function isShortcut(event: KeyboardEvent, key: string, { shift = false } = {}): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  const hasModifier = isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  // Many keyboards need Shift for the slash.
  const isShiftExpected = shiftKey === shift || key === '/';
  if (!hasModifier || altKey || !isShiftExpected || isComposing(event)) return false;
  return getShortcutKey(event) === key;
}

/**
 * Whether Alt and this letter are pressed. On Apple devices the character depends on the keyboard, so the place of the key
 * counts, and a text field takes the character.
 */
export function isAltLetter(event: KeyboardEvent, letter: string): boolean {
  const { code, altKey, ctrlKey, metaKey, shiftKey, target } = event;
  if (!altKey || ctrlKey || metaKey || shiftKey || isComposing(event)) return false;
  if (isApple) return code === `Key${letter.toUpperCase()}` && !isTextEntry(target);
  return getShortcutKey(event) === letter;
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

/** The Markdown that a shortcut of the message field writes, or null. */
export function findFormat(event: KeyboardEvent): Format | null {
  if (isShortcut(event, 'b')) return 'bold';
  if (isShortcut(event, 'i')) return 'italic';
  if (isShortcut(event, 'e')) return 'code';
  return isShortcut(event, 'x', { shift: true }) ? 'strike' : null;
}

/** Some browsers report the key that ends an IME composition without `isComposing`, but with this code. */
const compositionKeyCode = 229;

/** Whether the key belongs to an IME composition. */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === compositionKeyCode;
}
