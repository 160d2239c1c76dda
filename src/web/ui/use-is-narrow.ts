import { useSyncExternalStore } from 'react';
import { narrowWidth } from '#contract/limits.ts';

const query = matchMedia(`(width < ${narrowWidth}px)`);

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the window only fits one pane. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
