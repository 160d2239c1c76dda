import { useSyncExternalStore } from 'react';
import { narrowWidth } from '#contract/limits.ts';

const query = matchMedia(`(width < ${narrowWidth}px)`);

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether only one pane fits. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
