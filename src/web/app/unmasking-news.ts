// Notifies members once per browser that unmasking was switched on.
import { formatPastDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import type { useNotify } from '#web/ui/notices.tsx';

const storageKey = 'unmasking-news';
const durationMs = 15_000;

export function notifyOfUnmasking(
  unmaskingSince: string,
  notify: ReturnType<typeof useNotify>,
  openPrivacy: () => void,
): void {
  if (localStorage.getItem(storageKey) === unmaskingSince) return;
  try {
    localStorage.setItem(storageKey, unmaskingSince);
  } catch {
    // Storage is full. The next page load notifies again.
  }
  notify({
    text: getText('app.unmasking.summary', { day: formatPastDay(unmaskingSince) }),
    action: { label: getText('app.unmasking.readMore'), run: openPrivacy },
    durationMs,
  });
}
