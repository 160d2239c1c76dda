import { useSyncExternalStore } from 'react';

const today = () => new Date().toDateString();

/** Polls every half minute, because a timer to midnight is late after the machine sleeps. */
function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, 30_000);
  document.addEventListener('visibilitychange', listener);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', listener);
  };
}

/** The current day. Updates after midnight. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, today);
}
