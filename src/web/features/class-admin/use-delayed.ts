import { useEffect, useState } from 'react';
import type { ClassQuery } from '#web/data/admin.ts';

/** The query after typing has paused. */
export function useDelayed(query: ClassQuery): ClassQuery {
  const [delayed, setDelayed] = useState(query);
  const next = JSON.stringify(query);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(JSON.parse(next) as ClassQuery), 250);
    return () => clearTimeout(timer);
  }, [next]);
  return delayed;
}
