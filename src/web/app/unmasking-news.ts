// Notifies members once per browser that unmasking was switched on.
import { formatPastDay } from '#web/format.ts';

const storageKey = 'unmasking-news';
const durationMs = 15_000;

interface Dependencies {
  since: string;
  notify: (notice: {
    text: string;
    action: { label: string; act: () => void };
    durationMs: number;
  }) => void;
  openPrivacy: () => void;
}

export function notifyOfUnmasking({ since, notify, openPrivacy }: Dependencies): void {
  if (localStorage.getItem(storageKey) === since) return;
  try {
    localStorage.setItem(storageKey, since);
  } catch {
    // Storage is full. The next page says it again.
  }
  notify({
    text: `Unmasking is switched on since ${formatPastDay(since)}.`,
    action: { label: 'Read more', act: openPrivacy },
    durationMs,
  });
}
