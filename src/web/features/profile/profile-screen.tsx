// The account of the person who is signed in, in five pages with addresses of their own (/profile). Next to a page are
// links to the others. On a phone, the first page has these links, and the others lead back to it.
import type { ComponentProps, ReactNode } from 'react';
import { matchPath, Navigate, useLocation } from 'react-router';
import { getText } from '#web/get-text.ts';
import { Link } from '#web/ui/navigation.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { SiteFooter } from '#web/ui/site-footer.tsx';
import { useIsNarrow } from '#web/ui/use-media-query.ts';
import { useTitle } from '#web/ui/use-title.ts';
import { AccountPage } from './account-page.tsx';
import { DevicesSection } from './devices-section.tsx';
import { InstallSection } from './install-section.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { OnThisDeviceSection } from './on-this-device-section.tsx';
import { AppearanceSection, KeyboardSection } from './settings-sections.tsx';
import styles from './profile-screen.module.css';

const accountPath = '/profile';

const pages = [
  { path: accountPath, title: getText('profile.account.title') },
  { path: '/profile/notifications', title: getText('profile.notifications.title') },
  { path: '/profile/appearance', title: getText('profile.appearance.title') },
  { path: '/profile/this-device', title: getText('profile.thisDevice.title') },
  { path: '/profile/devices', title: getText('profile.devices.title') },
] as const;

type ProfilePath = (typeof pages)[number]['path'];

interface Props extends Pick<ComponentProps<typeof AccountPage>, 'live'> {
  /** Shows the keyboard shortcuts. */
  shortcuts: ReactNode;
}

export function ProfileScreen(props: Props) {
  const { pathname } = useLocation();
  const page = pages.find(({ path }) => matchPath(path, pathname));
  if (!page) return <Navigate to="/home" replace />;
  // A page is a screen: its heading takes the focus, and it starts at its top.
  return <ProfilePage key={page.path} {...page} {...props} />;
}

interface PageProps extends Props {
  path: ProfilePath;
  title: string;
}

function ProfilePage({ path, title, live, shortcuts }: PageProps) {
  const isNarrow = useIsNarrow();
  const isAccount = path === accountPath;
  const heading = isAccount ? getText('profile.title') : title;
  useTitle(heading);
  const links = <Pages currentPath={path} />;
  const contents: Record<ProfilePath, ReactNode> = {
    '/profile': <AccountPage live={live}>{isNarrow && links}</AccountPage>,
    '/profile/notifications': <NotificationsSection />,
    '/profile/appearance': (
      <>
        <AppearanceSection />
        <KeyboardSection>{shortcuts}</KeyboardSection>
      </>
    ),
    '/profile/this-device': (
      <>
        <OnThisDeviceSection />
        <InstallSection />
      </>
    ),
    '/profile/devices': <DevicesSection />,
  };
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <div className={styles.columns}>
        {isNarrow && !isAccount && (
          <Link className={styles.back} to={accountPath}>
            <Icon name="left" size={18} />
            {getText('profile.title')}
          </Link>
        )}
        <PageHeading className={styles.title}>{heading}</PageHeading>
        {!isNarrow && links}
        <div className={styles.page}>
          {contents[path]}
          <SiteFooter />
        </div>
      </div>
    </main>
  );
}

function Pages({ currentPath }: { currentPath: ProfilePath }) {
  return (
    <nav className={styles.pages} aria-label={getText('profile.title')}>
      {pages.map(({ path, title }) => (
        <Link
          key={path}
          className="quiet"
          to={path}
          aria-current={path === currentPath ? 'page' : undefined}
        >
          {title}
          <Icon name="right" size={18} />
        </Link>
      ))}
    </nav>
  );
}
