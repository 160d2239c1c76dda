import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './search-screen.module.css';

/** In the place of the first results; empty while it may still be quick. */
export function SearchWaiting({ shown }: { shown: boolean }) {
  return (
    <div role="status" aria-label={shown ? 'Searching' : undefined}>
      {shown &&
        [180, 220, 150, 200].map((width) => (
          <div className={styles.waiting} key={width}>
            <Skeleton width={width} height={16} />
            <Skeleton width={96} />
            <Skeleton width={260} />
          </div>
        ))}
    </div>
  );
}
