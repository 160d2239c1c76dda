// Whether the page is being printed. Then everything is rendered, not only what is near the window.
import { flushSync } from 'react-dom';
import { createStore } from '#web/store.ts';
import { useStore } from '#web/use-store.ts';
import { isShortcut } from './shortcut-keys.ts';

const maxPictureWaitMs = 10_000;
const pollMs = 100;

const isPrinting = createStore(false);

const renderEverything = () => flushSync(() => isPrinting.set(true));

// The browser takes the page for paper as soon as the listeners of the event have returned.
addEventListener('beforeprint', renderEverything);
addEventListener('afterprint', () => isPrinting.set(false));

let timer: ReturnType<typeof setInterval> | undefined;

// The shortcut can wait until the pictures have loaded. The menu of the browser cannot.
addEventListener('keydown', (event) => {
  if (!isShortcut(event, 'p')) return;
  renderEverything();
  if (!findLoadingPicture()) return;
  event.preventDefault();
  const end = Date.now() + maxPictureWaitMs;
  // A key that is held down repeats, and prints once.
  clearInterval(timer);
  timer = setInterval(() => {
    if (findLoadingPicture() && Date.now() < end) return;
    clearInterval(timer);
    print();
  }, pollMs);
});

function findLoadingPicture(): Element | null {
  return document.querySelector('main [data-picture=loading]');
}

export function useIsPrinting(): boolean {
  return useStore(isPrinting);
}
