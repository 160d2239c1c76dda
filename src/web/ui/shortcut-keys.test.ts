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

test('On Apple devices Option+Q types its character into a text field, and Option+O always does [QUEST-69]', async () => {
  const { isAltLetter } = await loadKeys('MacIntel');

  expect(isAltLetter(createEvent('œ', 'KeyQ', room), 'q')).toBe(true);
  expect(isAltLetter(createEvent('œ', 'KeyQ', field), 'q')).toBe(false);
  // The œ of a French keyboard.
  expect(isAltLetter(createEvent('œ', 'KeyO', room), 'q')).toBe(false);
});

test('Elsewhere Alt types nothing, so the letter counts wherever its key is [QUEST-62]', async () => {
  const { isAltLetter } = await loadKeys('Win32');

  expect(isAltLetter(createEvent('q', 'KeyA', field), 'q')).toBe(true);
  expect(isAltLetter(createEvent('a', 'KeyQ', field), 'q')).toBe(false);
});
