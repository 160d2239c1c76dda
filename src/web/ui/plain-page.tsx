import type { ReactNode } from 'react';
import styles from './plain-page.module.css';

/** A page with one centered sentence. */
export function PlainPage({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <main className={styles.page}>
      <p>{text}</p>
      {children}
    </main>
  );
}
