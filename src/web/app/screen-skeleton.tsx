import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from '#web/ui/screen.module.css';

/** Placeholder while the code of a screen loads. */
export function ScreenSkeleton() {
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <div className={styles.column} role="status" aria-label="Loading">
        <Skeleton width={180} height={28} />
        <Skeleton width="100%" height={44} />
        <Skeleton width="70%" height={44} />
      </div>
    </main>
  );
}
