import { useEffect } from 'react';
import { preloadModules } from '#web/lazy-module.ts';

const preloadDelayMs = 3000;

/** Loads the code of dialogs and menus after the first screen: as soon as the member does something, or after a while. */
export function usePreloadCode(): void {
  useEffect(() => {
    const events = ['pointermove', 'pointerdown', 'keydown'] as const;
    const stop = () => {
      clearTimeout(timer);
      for (const name of events) removeEventListener(name, preload);
    };
    const preload = () => {
      stop();
      preloadModules();
    };
    const timer = setTimeout(preload, preloadDelayMs);
    for (const name of events) addEventListener(name, preload);
    return stop;
  }, []);
}
