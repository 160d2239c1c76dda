import { useEffect, useState } from 'react';

/** Returns false for the first `delay` milliseconds, then true. */
export function useDelayed(delay: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), delay);
    return () => clearTimeout(timer);
  }, [delay]);
  return passed;
}
