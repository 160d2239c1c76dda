// What goes when the session ends. The modules that keep something in memory load after sign-in, so they listen here.
import { createListeners } from '#web/store.ts';

/** The key in localStorage that exists after a session has ended, while its drafts are only in the memory of the tabs. */
export const endedKey = 'session-ended';

const endings = createListeners<[isPageKept: boolean]>();

/** Calls the function when the session has ended. `isPageKept`: the page waits in memory for the same person. */
export const onSessionEnd = endings.add;
export const notifySessionEnd = endings.notify;

/** Deletes the drafts of all tabs, and which answers of staff were seen, because another person may sign in next. */
export function clearStoredDrafts(): void {
  for (const key of Object.keys(localStorage)) {
    if (/^(draft|seen-answers)/.test(key)) localStorage.removeItem(key);
  }
}
