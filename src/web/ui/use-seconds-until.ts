import { useEffect, useState } from 'react';
import { getText } from '#web/get-text.ts';

/** '20 s' or '5 min'. */
export function formatWait(seconds: number): string {
  return seconds < 100
    ? getText('ui.wait.seconds', { seconds })
    : getText('ui.wait.minutes', { minutes: Math.ceil(seconds / 60) });
}

/** @param getNow `room.serverNow` if the server set the deadline, because the clock of the browser can be wrong */
export function useSecondsUntil(deadline: number | null, getNow: () => number = Date.now): number {
  const [now, setNow] = useState(getNow);
  useEffect(() => {
    if (deadline === null) return;
    // It goes on after the deadline, because the time of the server can become known later.
    const update = () => setNow(Math.min(getNow(), deadline));
    const timer = setInterval(update, 1000);
    update();
    return () => clearInterval(timer);
  }, [deadline, getNow]);
  return deadline === null ? 0 : Math.ceil((deadline - now) / 1000);
}
