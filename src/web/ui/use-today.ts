import { useSyncExternalStore } from 'react';

const today = () => new Date().toDateString();

/** Looks each half minute: one timer to midnight would oversleep with the machine. */
function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, 30_000);
  document.addEventListener('visibilitychange', listener);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', listener);
  };
}

/** The day it is; another one from midnight on. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, today);
}
