// Notifies members once per browser that unmasking was switched on.
import { formatPastDay } from '#web/format.ts';

const storageKey = 'unmasking-news';
const durationMs = 15_000;

interface Dependencies {
  unmaskingSince: string;
  notify: (notice: {
    text: string;
    action: { label: string; run: () => void };
    durationMs: number;
  }) => void;
  openPrivacy: () => void;
}

export function notifyOfUnmasking({ unmaskingSince, notify, openPrivacy }: Dependencies): void {
  if (localStorage.getItem(storageKey) === unmaskingSince) return;
  try {
    localStorage.setItem(storageKey, unmaskingSince);
  } catch {
    // Storage is full. The next page load notifies again.
  }
  notify({
    text: `Unmasking is switched on since ${formatPastDay(unmaskingSince)}.`,
    action: { label: 'Read more', run: openPrivacy },
    durationMs,
  });
}
