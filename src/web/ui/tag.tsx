import type { ReactNode } from 'react';
import styles from './tag.module.css';

/** A short label, less prominent than the text next to it. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={styles.tag}>{children}</span>;
}
