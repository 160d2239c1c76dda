import { useEffect, useState } from 'react';

/** '20 s' or '5 min'. */
export function formatWait(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

export function useSecondsUntil(deadline: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (deadline === null) return;
    const update = () => {
      setNow(Date.now());
      if (Date.now() >= deadline) clearInterval(timer);
    };
    const timer = setInterval(update, 1000);
    update();
    return () => clearInterval(timer);
  }, [deadline]);
  return deadline === null ? 0 : Math.ceil((deadline - now) / 1000);
}
