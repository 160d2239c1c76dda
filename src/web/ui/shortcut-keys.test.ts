import { expect, test, vi } from 'vitest';

/** The keys as a page on this platform has them. */
async function loadKeys(platform: string) {
  vi.resetModules();
  vi.spyOn(navigator, 'platform', 'get').mockReturnValue(platform);
  return import('./shortcut-keys.ts');
}

function createEvent(key: string, code: string, target: Element): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, code, altKey: true });
  target.dispatchEvent(event);
  return event;
}

const field = document.createElement('textarea');
const room = document.createElement('section');

test('On Apple devices Option+Q types its character into a text field, and Option+O always does [QUEST-62]', async () => {
  const { isAltLetter } = await loadKeys('MacIntel');

  expect(isAltLetter(createEvent('œ', 'KeyQ', room), 'q')).toBe(true);
  expect(isAltLetter(createEvent('œ', 'KeyQ', field), 'q')).toBe(false);
  // The œ of a French keyboard.
  expect(isAltLetter(createEvent('œ', 'KeyO', room), 'q')).toBe(false);
});

test.each([
  ['US', 'b', 'KeyB', 'bold'],
  ['US with Caps Lock', 'B', 'KeyB', 'bold'],
  ['Russian', 'и', 'KeyB', 'bold'],
  ['Greek', 'ι', 'KeyI', 'italic'],
  ['Arabic, with two letters on a key', 'لا', 'KeyB', 'bold'],
  ['Hebrew', 'ק', 'KeyE', 'code'],
  ['Turkish, without a dot', 'ı', 'KeyI', 'italic'],
  ['Dvorak', 'e', 'KeyD', 'code'],
  ['Dvorak', '.', 'KeyE', null],
  ['AZERTY', 'q', 'KeyA', null],
  ['Russian, with Shift', 'Ч', 'KeyX', 'strike'],
  ['Dvorak, with Shift', 'X', 'KeyB', 'strike'],
] as const)(
  'On a keyboard (%s), Ctrl and %s at %s means %s [KEY-21, SEND-27]',
  async (name, key, code, format) => {
    const { findFormat } = await loadKeys('Win32');
    const init = { key, code, ctrlKey: true, shiftKey: name.endsWith('Shift') };

    expect(findFormat(new KeyboardEvent('keydown', init))).toBe(format);
    expect(findFormat(new KeyboardEvent('keydown', { ...init, keyCode: 229 }))).toBe(null);
  },
);

test.each([
  ['US', '/', 'Slash', '/'],
  ['US, with Shift', '?', 'Slash', '?'],
  ['German, with Shift', '/', 'Digit7', '/'],
  ['German', '-', 'Slash', '-'],
  ['French, with Shift', '/', 'Period', '/'],
  ['Russian', '.', 'Slash', '/'],
  ['Arabic, with Shift', '؟', 'Slash', '?'],
  ['Hebrew', '/', 'KeyQ', 'q'],
  ['Persian', '۱', 'Digit1', '1'],
  ['French', 'à', 'Digit0', '0'],
  ['US', 'ArrowUp', 'ArrowUp', 'ArrowUp'],
] as const)(
  'On a keyboard (%s), %s at %s is the key %s [KEY-21, KEY-1]',
  async (name, key, code, expected) => {
    const { getShortcutKey, isShortcut } = await loadKeys('Win32');
    const init = { key, code, ctrlKey: true, shiftKey: name.endsWith('Shift') };
    const event = new KeyboardEvent('keydown', init);

    expect(getShortcutKey(event)).toBe(expected);
    expect(isShortcut(event, '/')).toBe(expected === '/');
  },
);

test('Elsewhere Alt types nothing, so the letter counts wherever its key is [QUEST-62]', async () => {
  const { isAltLetter } = await loadKeys('Win32');

  expect(isAltLetter(createEvent('q', 'KeyA', field), 'q')).toBe(true);
  expect(isAltLetter(createEvent('a', 'KeyQ', field), 'q')).toBe(false);
});

test('From right to left, the left arrow leads to the next item', async () => {
  const { mirrorArrow } = await loadKeys('Win32');
  const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', '→'];

  expect(keys.map(mirrorArrow)).toEqual(keys);

  document.dir = 'rtl';

  expect(keys.map(mirrorArrow)).toEqual(['ArrowRight', 'ArrowLeft', 'ArrowUp', '←']);

  document.dir = '';
});
