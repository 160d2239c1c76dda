// Whether the page is being printed. Then everything is rendered, not only what is near the window.
import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { createStore } from '#web/store.ts';

const isPrinting = createStore(false);

// The browser takes the page for paper as soon as the listeners of the event have returned.
addEventListener('beforeprint', () => flushSync(() => isPrinting.set(true)));
addEventListener('afterprint', () => isPrinting.set(false));

export function useIsPrinting(): boolean {
  return useSyncExternalStore(isPrinting.subscribe, isPrinting.getSnapshot);
}
