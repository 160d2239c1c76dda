import type { ReactNode } from 'react';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './screen.module.css';

interface Props {
  title: string;
  /** The width of the column, which is centered. */
  width?: 'form' | 'wide';
  children: ReactNode;
}

/** A full screen next to the icon bar: one column with one heading. */
export function Screen({ title, width = 'wide', children }: Props) {
  useTitle(title);
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <div className={styles.column} data-width={width}>
        <PageHeading className={styles.title}>{title}</PageHeading>
        {children}
      </div>
    </main>
  );
}
