// The parser of messages, which is loaded in parallel with the first screen.
import { createLazyModule } from '#web/lazy-module.ts';
import { createStore } from '#web/store.ts';

/** After this time a room no longer waits for the parser and shows what was typed. */
const maxWaitMs = 2000;

export const markupParser = createLazyModule(() => import('./parse-message.ts'));

/** Whether messages with markup can be shown: the parser has loaded, failed to load, or takes too long. */
export const markupSettled = createStore(false);

export function loadMarkup(): void {
  const settle = () => markupSettled.set(true);
  const timer = setTimeout(settle, maxWaitMs);
  void markupParser.load().then(() => {
    clearTimeout(timer);
    settle();
  });
}
