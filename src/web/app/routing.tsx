import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { toErrorMessage } from '#web/api.ts';
import { memberAreaQuery, presenterPath, signedOutAreaQuery } from '#web/app/first-requests.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { reloadSignedOut, onSessionChange, refreshMe, useMe } from '#web/data/session.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';

const PrivacyScreen = lazy(() =>
  import('#web/features/privacy/privacy-screen.tsx').then((module) => ({
    default: module.PrivacyScreen,
  })),
);

const SuspendedArea = lazy(() =>
  import('#web/app/suspended-area.tsx').then((module) => ({ default: module.SuspendedArea })),
);

const PresenterScreen = lazy(() =>
  import('#web/features/lectures/presenter-screen.tsx').then((module) => ({
    default: module.PresenterScreen,
  })),
);

/** The screens for visitors. A signed-in member can also follow a link of a mail to one of them. */
const signedOutPaths = /^\/(signin|signup|sign-on|reset-password|verify-email|unsubscribe)\/?$/i;

function SignedInOnly({ signedIn }: { signedIn: boolean }) {
  const { pathname, search } = useLocation();
  return signedIn ? (
    <MemberScreens />
  ) : (
    <Navigate to="/signin" replace state={{ from: pathname + search }} />
  );
}

function MemberScreens() {
  const code = useQuery({ ...memberAreaQuery, throwOnError: true }).data;
  return code ? <code.MemberArea /> : <PlainPage text="Loading..." />;
}

function SignedOutScreens({ signedIn }: { signedIn: boolean }) {
  const code = useQuery({ ...signedOutAreaQuery, throwOnError: true }).data;
  return code ? <code.SignedOutArea signedIn={signedIn} /> : <PlainPage text="Loading..." />;
}

/** The screen of a lecture hall asks for no session. */
export function Routing() {
  const { pathname } = useLocation();
  if (!presenterPath.test(pathname)) return <SessionRouting />;
  return (
    <Suspense fallback={<PlainPage text="Loading..." />}>
      <PresenterScreen />
    </Suspense>
  );
}

/** Decides which screens a visitor can see. */
function SessionRouting() {
  const client = useQueryClient();
  const me = useMe();
  const theme = useSchoolTheme();
  const notify = useNotify();
  const { pathname } = useLocation();
  const isThemeMissing = theme.data === null;
  useEffect(() => {
    if (isThemeMissing) notify({ text: 'Your school’s theme didn’t load. Everything else works.' });
  }, [isThemeMissing, notify]);
  useEffect(
    () =>
      onSessionChange((change) => {
        if (change === 'signed-in') void refreshMe(client);
        else void reloadSignedOut(undefined, '/signin', change === 'signing-out');
      }),
    [client],
  );

  if (me.isPending) return <PlainPage text="Loading..." />;
  if (!me.data) {
    return (
      <PlainPage text={toErrorMessage(me.error)}>
        <Button variant="primary" onClick={() => void me.refetch()}>
          Retry
        </Button>
      </PlainPage>
    );
  }
  if (theme.isPending) return <PlainPage text="Loading theme..." />;

  const { account } = me.data;
  const signedIn = account !== null;
  if (signedOutPaths.test(pathname)) return <SignedOutScreens signedIn={signedIn} />;
  return (
    <Suspense fallback={<PlainPage text="Loading..." />}>
      <Routes>
        {account?.suspended !== false && (
          <Route path="/privacy" element={<PrivacyScreen signedIn={false} />} />
        )}
        <Route
          path="*"
          element={account?.suspended ? <SuspendedArea /> : <SignedInOnly signedIn={signedIn} />}
        />
      </Routes>
    </Suspense>
  );
}
