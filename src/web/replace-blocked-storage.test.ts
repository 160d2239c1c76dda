import { afterEach, expect, test } from 'vitest';

const original = Object.getOwnPropertyDescriptor(window, 'localStorage');

afterEach(() => {
  if (original) Object.defineProperty(window, 'localStorage', original);
});

test('a browser that blocks its storage gets one that lasts as long as the page [LAYOUT-62]', async () => {
  Object.defineProperty(window, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    },
  });

  await import('./replace-blocked-storage.ts');

  localStorage.setItem('settings', '{}');
  localStorage.setItem('other', 'kept');
  expect(localStorage.getItem('settings')).toBe('{}');
  expect(localStorage.getItem('unknown')).toBeNull();
  localStorage.removeItem('settings');
  expect(Object.keys(localStorage)).toEqual(['other']);
  localStorage.clear();
  expect(localStorage.getItem('other')).toBeNull();
});
