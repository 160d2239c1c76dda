import type { ReactNode } from 'react';
import styles from './plain-page.module.css';

/** Nothing but a sentence in the middle. */
export function PlainPage({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <main className={styles.page}>
      <p>{text}</p>
      {children}
    </main>
  );
}
