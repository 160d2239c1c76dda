import type { ReactNode } from 'react';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { School } from '#web/ui/logo.tsx';
import { SiteFooter } from '#web/ui/site-footer.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './auth-page.module.css';

interface Props {
  title: string;
  lead: ReactNode;
  foot: ReactNode;
  children: ReactNode;
}

/** The single-column layout of all forms for signed-out visitors. */
export function AuthPage({ title, lead, foot, children }: Props) {
  useTitle(title);
  return (
    <main className={styles.page} id="main">
      <div className={styles.column}>
        <header className={styles.head}>
          <School theme={useSchoolTheme().data ?? null} height={40} />
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.lead}>{lead}</p>
        </header>
        {children}
        <footer className={styles.foot}>{foot}</footer>
        <SiteFooter />
      </div>
    </main>
  );
}
