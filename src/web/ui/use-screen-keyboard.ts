import { useEffect } from 'react';
import { isTextEntry } from './shortcut-keys.ts';

/** A height between those of a browser's bars, which come and go, and of an on-screen keyboard. */
const minKeyboardPx = 150;

/**
 * Sets `data-keyboard` on the root element while the on-screen keyboard is open. No browser but Chromium says so itself: a text field
 * has the focus, and less of the page is visible than was visible before in a window of this width.
 */
export function useScreenKeyboard(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const maxHeights = new Map<number, number>();
    const update = () => {
      // A member who zooms in sees less of the page, too.
      const height = viewport.height * viewport.scale;
      const width = Math.round(viewport.width * viewport.scale);
      const maxHeight = Math.max(height, maxHeights.get(width) ?? 0);
      maxHeights.set(width, maxHeight);
      const isOpen = isTextEntry(document.activeElement) && maxHeight - height > minKeyboardPx;
      document.documentElement.toggleAttribute('data-keyboard', isOpen);
    };
    update();
    viewport.addEventListener('resize', update);
    addEventListener('focusin', update);
    addEventListener('focusout', update);
    return () => {
      viewport.removeEventListener('resize', update);
      removeEventListener('focusin', update);
      removeEventListener('focusout', update);
    };
  }, []);
}
