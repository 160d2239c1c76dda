// Whether the page is being printed. Then everything is rendered, not only what is near the window.
import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { createStore } from '#web/store.ts';
import { isShortcut } from './shortcut-keys.ts';

const maxPictureWaitMs = 10_000;
const pollMs = 100;

const isPrinting = createStore(false);

/** The width of a message on A4 and Letter, in CSS pixels. */
const paperWidth = 640;

const listFormulas = () => document.querySelectorAll<HTMLElement>('main :has(> math)');
const renderEverything = () => flushSync(() => isPrinting.set(true));

// The browser takes the page for paper as soon as the listeners of the event have returned.
addEventListener('beforeprint', () => {
  renderEverything();
  // Formulas have no line breaks, so a wide one would leave the paper.
  for (const formula of listFormulas()) {
    const math = formula.querySelector('math');
    const end = math?.lastElementChild?.getBoundingClientRect().right ?? 0;
    const start = math?.firstElementChild?.getBoundingClientRect().left ?? 0;
    const scale = paperWidth / (end - start);
    if (scale < 1) formula.style.fontSize = `${scale}em`;
  }
});
addEventListener('afterprint', () => {
  isPrinting.set(false);
  for (const formula of listFormulas()) formula.style.fontSize = '';
});

// The shortcut can wait until the pictures have loaded. The menu of the browser cannot.
addEventListener('keydown', (event) => {
  if (event.defaultPrevented || !isShortcut(event, 'p')) return;
  renderEverything();
  if (!isLoadingPictures()) return;
  event.preventDefault();
  void waitForPictures().then(() => print());
});

function isLoadingPictures(): boolean {
  return document.querySelector('main [data-picture="loading"]') !== null;
}

async function waitForPictures(): Promise<void> {
  const end = performance.now() + maxPictureWaitMs;
  while (isLoadingPictures() && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

export function useIsPrinting(): boolean {
  return useSyncExternalStore(isPrinting.subscribe, isPrinting.getSnapshot);
}
