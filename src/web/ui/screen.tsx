import type { ReactNode } from 'react';
import { ArrivalHeading } from '#web/ui/arrival-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './screen.module.css';

/** A screen of its own beside the icon bar: one column under one heading. */
export function Screen({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <div className={styles.column}>
        <ArrivalHeading className={styles.title}>{title}</ArrivalHeading>
        {children}
      </div>
    </main>
  );
}
