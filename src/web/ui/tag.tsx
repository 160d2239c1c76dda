import type { ReactNode } from 'react';
import styles from './tag.module.css';

/** A word about what it stands beside, quieter than that. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={styles.tag}>{children}</span>;
}
