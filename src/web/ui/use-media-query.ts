import { useCallback, useSyncExternalStore } from 'react';
import { narrow } from '#web/ui/breakpoints.ts';

/** Whether a media query matches, such as those of breakpoints.ts. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Whether the window only fits one pane. */
export function useIsNarrow(): boolean {
  return useMediaQuery(narrow);
}
