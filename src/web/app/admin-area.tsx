// The screen of operators who run the server. It shows no persona and no message, and of accounts only one whose address is typed.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { AppError } from '#contract/errors.ts';
import { adminKey } from '#web/data/admin.ts';
import { refreshMe } from '#web/data/session.ts';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { AccountsPage } from '#web/features/account-support/accounts-page.tsx';
import { AnnouncementsPage } from '#web/features/announcements/announcements-page.tsx';
import { ClassesPage } from '#web/features/class-admin/classes-page.tsx';
import { ImportPage } from '#web/features/class-admin/import-page.tsx';
import { OverviewPage } from '#web/features/health/overview-page.tsx';
import { SettingsPage } from '#web/features/health/settings-page.tsx';
import styles from './admin-area.module.css';

const pages = [
  { path: '/admin', title: 'Overview', Page: OverviewPage },
  { path: '/admin/classes', title: 'Classes', Page: ClassesPage },
  { path: '/admin/accounts', title: 'Accounts', Page: AccountsPage },
  { path: '/admin/announcements', title: 'Announcements', Page: AnnouncementsPage },
  { path: '/admin/settings', title: 'Settings', Page: SettingsPage },
] as const;

export function AdminScreen() {
  useTitle('Administration');
  const { pathname } = useLocation();
  const isImport = pathname === '/admin/classes/import';
  const shown =
    pages.find(({ path }) => pathname.startsWith(path) && path !== '/admin') ?? pages[0];
  const client = useQueryClient();
  useEffect(() => {
    // The role was revoked: the screen disappears with it.
    return client.getQueryCache().subscribe(({ query }) => {
      const { error } = query.state;
      const isRefused = error instanceof AppError && error.code === 'NOT_ALLOWED';
      if (isRefused && query.queryKey[0] === adminKey[0]) void refreshMe(client);
    });
  }, [client]);
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <header className={styles.head}>
        <PageHeading className={styles.title}>Administration</PageHeading>
        <nav className={styles.tabs} aria-label="Administration">
          {pages.map(({ path, title }) => (
            <Link key={path} to={path} aria-current={path === shown.path ? 'page' : undefined}>
              {title}
            </Link>
          ))}
          <Link to="/moderation">Moderation</Link>
        </nav>
      </header>
      {isImport ? <ImportPage /> : <shown.Page />}
    </main>
  );
}
