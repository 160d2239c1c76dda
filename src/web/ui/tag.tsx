import type { ReactNode } from 'react';
import styles from './tag.module.css';

/** A short label, less prominent than the text next to it unless it is urgent. */
export function Tag({ urgent = false, children }: { urgent?: boolean; children: ReactNode }) {
  return (
    <span className={styles.tag} data-urgent={urgent || undefined}>
      {children}
    </span>
  );
}
