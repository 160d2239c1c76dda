import type { ReactNode } from 'react';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './screen.module.css';

/** A full screen next to the icon bar: one column with one heading. */
export function Screen({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <div className={styles.column}>
        <PageHeading className={styles.title}>{title}</PageHeading>
        {children}
      </div>
    </main>
  );
}
