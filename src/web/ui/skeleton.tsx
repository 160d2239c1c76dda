import { useDelayed } from '#web/ui/use-delayed.ts';
import styles from './skeleton.module.css';

/** A placeholder bar. It is invisible for the first 150 ms. */
export function Skeleton({ width, height = 12 }: { width: number | string; height?: number }) {
  const shown = useDelayed(150);
  return (
    <span
      className={styles.bar}
      style={{ width, height, visibility: shown ? 'visible' : 'hidden' }}
      aria-hidden="true"
    />
  );
}
