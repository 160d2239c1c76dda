import {
  Activity,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { announcementBanner } from '#web/app/announcement-banner-code.ts';
import { IconBar } from '#web/app/icon-bar.tsx';
import { HomeScreen } from '#web/app/home-screen.tsx';
import { LiveProvider, useLive } from '#web/app/live-provider.tsx';
import { PageErrorBoundary } from '#web/app/page-error-boundary.tsx';
import { Optional } from '#web/error-boundary.tsx';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import type { HomeState } from '#web/app/use-class-list-pane.ts';
import { usePreloadCode } from '#web/app/use-preload-code.ts';
import { useIsModerator, useIsOperator } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import screenStyles from '#web/ui/screen.module.css';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useInputModality } from '#web/ui/use-input-modality.ts';
import { useScreenKeyboard } from '#web/ui/use-screen-keyboard.ts';
import { useStore } from '#web/use-store.ts';
import styles from './member-area.module.css';

const keyboardShortcuts = createLazyModule(() => import('#web/app/keyboard-shortcuts.tsx'));
const CreateScreen = lazy(() =>
  import('#web/features/create-class/create-screen.tsx').then((module) => ({
    default: module.CreateScreen,
  })),
);
const SearchPage = lazy(() =>
  import('#web/app/search-page.tsx').then((module) => ({ default: module.SearchPage })),
);
const ProfileArea = lazy(() =>
  import('./profile-area.tsx').then((module) => ({ default: module.ProfileArea })),
);

const ShortLink = lazy(() =>
  import('#web/features/lectures/short-link.tsx').then((module) => ({
    default: module.ShortLink,
  })),
);

const CourseScreen = lazy(() =>
  import('#web/features/lti/course-screen.tsx').then((module) => ({
    default: module.CourseScreen,
  })),
);

const ModerationArea = lazy(() =>
  import('./moderation-area.tsx').then((module) => ({
    default: module.ModerationArea,
  })),
);

const AdminArea = lazy(() =>
  import('./admin-area.tsx').then((module) => ({
    default: module.AdminArea,
  })),
);

const PrivacyScreen = lazy(() =>
  import('#web/features/privacy/privacy-screen.tsx').then((module) => ({
    default: module.PrivacyScreen,
  })),
);

const installedApp = createPreloadedModule(() => import('#web/app/installed/installed-app.tsx'));

/** `/` redirects a newly joined or created class to its room. */
function Start() {
  const state: unknown = useLocation().state;
  const classId =
    typeof state === 'object' && state !== null && 'classId' in state ? state.classId : null;
  return <Navigate to={typeof classId === 'string' ? `/home/${classId}` : '/home'} replace />;
}

interface MemberAreaProps {
  /** The session has ended. Nothing of the screens is in the document, but their state stays in memory. */
  isPaused: boolean;
}

/** Everything behind sign-in. Its code loads only for signed-in members. */
export function MemberArea({ isPaused }: MemberAreaProps) {
  const [host] = useState(createHost);
  return (
    <LiveProvider>
      <Activity mode={isPaused ? 'hidden' : 'visible'}>
        <HostPlace host={host} />
        {createPortal(<MemberScreens />, host)}
      </Activity>
    </LiveProvider>
  );
}

function createHost(): HTMLElement {
  const host = document.createElement('div');
  host.id = 'screens';
  host.className = styles.host ?? '';
  return host;
}

/** Stands before the screens, so that they are in the document before their own effects measure and focus them. */
function HostPlace({ host }: { host: HTMLElement }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.append(host);
    return () => host.remove();
  }, [host]);
  return <div ref={place} className={styles.host} />;
}

function MemberScreens() {
  const { pathname } = useLocation();
  const isModerator = useIsModerator();
  const isOperator = useIsOperator();
  return (
    <DialogsProvider>
      <AppLayout>
        <PageErrorBoundary key={pathname.split('/')[1]}>
          <Suspense fallback={<ScreenSkeleton />}>
            <Routes>
              <Route path="/" element={<Start />} />
              <Route path="/home" element={<HomeScreen />} />
              <Route path="/home/:classId" element={<HomeScreen />} />
              <Route path="/c/:letters" element={<ShortLink />} />
              <Route path="/create" element={<CreateScreen />} />
              <Route path="/course" element={<CourseScreen />} />
              <Route path="/search" element={<SearchPage />} />
              <Route path="/profile/*" element={<ProfileArea />} />
              {isModerator && <Route path="/moderation/*" element={<ModerationArea />} />}
              {isOperator && <Route path="/admin/*" element={<AdminArea />} />}
              <Route path="/privacy" element={<PrivacyScreen signedIn />} />
              <Route
                path="*"
                element={
                  <Navigate to="/home" state={{ missing: 'page' } satisfies HomeState} replace />
                }
              />
            </Routes>
          </Suspense>
        </PageErrorBoundary>
      </AppLayout>
      <OnDemand code={keyboardShortcuts} isQuiet>
        {({ KeyboardShortcuts }) => <KeyboardShortcuts />}
      </OnDemand>
    </DialogsProvider>
  );
}

/** Nothing until its code has loaded, after the first screen. */
function Installed() {
  const code = useStore(installedApp);
  const live = useLive();
  return code && <code.InstalledApp live={live} />;
}

/** Nothing until its code has loaded: before the first screen if this browser knows announcements. */
function Announcements() {
  const code = useStore(announcementBanner);
  const live = useLive();
  const hasAny = useStore(live.announcements, (all) => Object.values(all).some(Boolean));
  useEffect(() => {
    if (hasAny) void announcementBanner.load();
  }, [hasAny]);
  return (
    code && (
      <Optional>
        <code.AnnouncementBanner live={live} />
      </Optional>
    )
  );
}

function AppLayout({ children }: { children: ReactNode }) {
  useInputModality();
  useScreenKeyboard();
  usePreloadCode();
  return (
    <div className={styles.frame}>
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        {getText('app.skipToContent')}
      </a>
      <Installed />
      <div className={styles.panes}>
        <IconBar />
        <Announcements />
        {children}
      </div>
    </div>
  );
}

/** Placeholder while the code of a screen loads. */
function ScreenSkeleton() {
  return (
    <main className={screenStyles.screen} id="main" tabIndex={-1}>
      <div
        className={screenStyles.column}
        role="status"
        aria-label={getText('common.loadingStatus')}
      >
        <Skeleton width={180} height={28} />
        <Skeleton width="100%" height={44} />
        <Skeleton width="70%" height={44} />
      </div>
    </main>
  );
}
