import { useEffect, useState } from 'react';
import styles from './skeleton.module.css';

/** A placeholder bar. It is invisible for the first 150 ms. */
export function Skeleton({ width, height = 12 }: { width: number | string; height?: number }) {
  const isShown = useDelayed(150);
  return (
    <span
      className={styles.bar}
      style={{ width, height, visibility: isShown ? 'visible' : 'hidden' }}
      aria-hidden="true"
    />
  );
}

/** Returns false for the first `delay` milliseconds, then true. */
function useDelayed(delay: number): boolean {
  const [isPassed, setIsPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsPassed(true), delay);
    return () => clearTimeout(timer);
  }, [delay]);
  return isPassed;
}
