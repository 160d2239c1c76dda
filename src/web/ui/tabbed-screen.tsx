import type { ReactNode } from 'react';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { scrollTabIntoView } from './panel-tabs.tsx';
import styles from './tabbed-screen.module.css';

export interface Tab {
  path: string;
  title: string;
}

interface ScreenProps {
  title: string;
  /** The head has only the title if there are no tabs. */
  tabs: readonly Tab[];
  /** The path of the tab that is open. */
  currentPath: string;
  children: ReactNode;
}

/** A full screen next to the icon bar: a head with the title and tabs, and below it a page. */
export function TabbedScreen({ title, tabs, currentPath, children }: ScreenProps) {
  useTitle(title);
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <header className={styles.head}>
        <PageHeading className="lead">{title}</PageHeading>
        {tabs.length > 0 && (
          <nav className={styles.tabs} aria-label={title}>
            {tabs.map((tab) => (
              <Link
                className="quiet tab"
                key={tab.path}
                ref={tab.path === currentPath ? scrollTabIntoView : undefined}
                to={tab.path}
                aria-current={tab.path === currentPath ? 'page' : undefined}
              >
                {tab.title}
              </Link>
            ))}
          </nav>
        )}
      </header>
      {children}
    </main>
  );
}

interface PageProps {
  label: string;
  /** Lays out the column of the page, whose width is that of all tabs. */
  className: string | undefined;
  children: ReactNode;
}

/** The page of a tab. It scrolls, also by keyboard. */
export function TabPage({ label, className, children }: PageProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.page} role="group" aria-label={label} tabIndex={0}>
      <div className={`${styles.column} ${className}`}>{children}</div>
    </div>
  );
}

/** The page of a tab before it has anything to scroll. */
export function WaitingTabPage({ children }: { children: ReactNode }) {
  return (
    <div className={styles.page}>
      <div className={styles.column}>{children}</div>
    </div>
  );
}
