import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { AppLayout } from '#web/app/app-layout.tsx';
import { ErrorBoundary } from '#web/app/error-boundary.tsx';
import { HomeScreen } from '#web/app/home-screen.tsx';
import { LiveProvider, useLive } from '#web/app/live-provider.tsx';
import { ScreenSkeleton } from './screen-skeleton.tsx';
import { DialogsProvider } from '#web/ui/dialogs.tsx';

const CreateScreen = lazy(() =>
  import('#web/features/create-class/create-screen.tsx').then((module) => ({
    default: module.CreateScreen,
  })),
);
const SearchScreen = lazy(() =>
  import('#web/features/search-classes/search-screen.tsx').then((module) => ({
    default: module.SearchScreen,
  })),
);
const ProfileScreen = lazy(() =>
  import('#web/features/profile/profile-screen.tsx').then((module) => ({
    default: module.ProfileScreen,
  })),
);

/** `/` redirects a newly joined or created class to its room. */
function Start() {
  const state: unknown = useLocation().state;
  const classId =
    typeof state === 'object' && state !== null && 'classId' in state ? state.classId : null;
  return <Navigate to={typeof classId === 'string' ? `/home/${classId}` : '/home'} replace />;
}

function Profile() {
  return <ProfileScreen live={useLive()} />;
}

/** Everything behind sign-in. Its code loads only for signed-in members. */
export function MemberArea() {
  const { pathname } = useLocation();
  return (
    <DialogsProvider>
      <LiveProvider>
        <AppLayout>
          <ErrorBoundary key={pathname.split('/')[1]}>
            <Suspense fallback={<ScreenSkeleton />}>
              <Routes>
                <Route path="/" element={<Start />} />
                <Route path="/home" element={<HomeScreen />} />
                <Route path="/home/:classId" element={<HomeScreen />} />
                <Route path="/create" element={<CreateScreen />} />
                <Route path="/search" element={<SearchScreen />} />
                <Route path="/profile" element={<Profile />} />
                <Route path="*" element={<Navigate to="/home" replace />} />
              </Routes>
            </Suspense>
          </ErrorBoundary>
        </AppLayout>
      </LiveProvider>
    </DialogsProvider>
  );
}
