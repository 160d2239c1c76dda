// The screen of operators who run the server. It shows no persona, no message, and only an account whose address is typed.
import { useLocation } from 'react-router';
import { useLeaveWhenRoleEnds } from '#web/data/use-leave-when-role-ends.ts';
import { TabbedScreen } from '#web/ui/tabbed-screen.tsx';
import { AccountsPage } from '#web/features/account-support/accounts-page.tsx';
import { AnnouncementsPage } from '#web/features/announcements/announcements-page.tsx';
import { ClassesPage } from '#web/features/class-admin/classes-page.tsx';
import { ImportPage } from '#web/features/class-admin/import-page.tsx';
import { OverviewPage } from '#web/features/health/overview-page.tsx';
import { SettingsPage } from '#web/features/health/settings-page.tsx';
import { getText } from '#web/get-text.ts';

const pages = [
  { path: '/admin', title: getText('app.admin.overview'), Page: OverviewPage },
  { path: '/admin/classes', title: getText('app.admin.classes'), Page: ClassesPage },
  { path: '/admin/accounts', title: getText('app.admin.accounts'), Page: AccountsPage },
  { path: '/admin/announcements', title: getText('app.admin.news'), Page: AnnouncementsPage },
  { path: '/admin/settings', title: getText('app.admin.settings'), Page: SettingsPage },
] as const;

const tabs = [...pages, { path: '/moderation', title: getText('app.moderation') }];

export function AdminArea() {
  const { pathname } = useLocation();
  const isImport = pathname === '/admin/classes/import';
  const currentPage =
    pages.find(({ path }) => pathname.startsWith(path) && path !== '/admin') ?? pages[0];
  useLeaveWhenRoleEnds();
  return (
    <TabbedScreen title={getText('app.admin.title')} tabs={tabs} currentPath={currentPage.path}>
      {isImport ? <ImportPage /> : <currentPage.Page />}
    </TabbedScreen>
  );
}
