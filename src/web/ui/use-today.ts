import { useSyncExternalStore } from 'react';

const getToday = () => new Date().toDateString();

/** The current day in the browser's time zone, such as `Fri Nov 27 2026`. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, getToday);
}

/** Polls every half minute, because a timer to midnight is late after the machine sleeps. */
function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, 30_000);
  document.addEventListener('visibilitychange', listener);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', listener);
  };
}
