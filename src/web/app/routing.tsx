import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { errorMessage } from '#web/api.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import {
  leaveSignedOut,
  onSessionBroadcast,
  refreshMe,
  rememberSignedIn,
  useMe,
  wasSignedIn,
} from '#web/data/session.ts';
import { ResetPasswordScreen } from '#web/features/sign-in/reset-password-screen.tsx';
import { SignInScreen } from '#web/features/sign-in/sign-in-screen.tsx';
import { SignUpScreen } from '#web/features/sign-in/sign-up-screen.tsx';
import { VerifyEmailScreen } from '#web/features/sign-in/verify-email-screen.tsx';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';

const loadMemberArea = () => import('#web/app/member-area.tsx');
const MemberArea = lazy(() => loadMemberArea().then((module) => ({ default: module.MemberArea })));
const PrivacyScreen = lazy(() =>
  import('#web/features/privacy/privacy-screen.tsx').then((module) => ({
    default: module.PrivacyScreen,
  })),
);
// If this browser was signed in before, loads the member area in parallel with the session check.
if (wasSignedIn()) void loadMemberArea().catch(() => undefined);

/** The path to open after sign-in. */
function wantedPath(state: unknown): string {
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : null;
  // Requires a single leading slash: two slashes would name another host.
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : '/home';
}

function SignedOutOnly({ signedIn, children }: { signedIn: boolean; children: React.ReactNode }) {
  const { state } = useLocation();
  return signedIn ? <Navigate to={wantedPath(state)} replace /> : children;
}

function SignedInOnly({ signedIn }: { signedIn: boolean }) {
  const { pathname, search } = useLocation();
  useEffect(() => {
    if (signedIn) rememberSignedIn();
  }, [signedIn]);
  return signedIn ? (
    <MemberArea />
  ) : (
    <Navigate to="/signin" replace state={{ from: pathname + search }} />
  );
}

/** Decides which screens a visitor can see. */
export function Routing() {
  const client = useQueryClient();
  const me = useMe();
  const theme = useSchoolTheme();
  const notify = useNotify();
  const withoutTheme = theme.data === null;
  useEffect(() => {
    if (withoutTheme) notify({ text: 'Your school’s theme didn’t load. Everything else works.' });
  }, [withoutTheme, notify]);
  useEffect(
    () =>
      onSessionBroadcast((change) => {
        if (change === 'signed-out') void leaveSignedOut();
        else void refreshMe(client);
      }),
    [client],
  );

  if (me.isPending) return <PlainPage text="Loading..." />;
  if (!me.data) {
    return (
      <PlainPage text={errorMessage(me.error)}>
        <Button variant="primary" onClick={() => void me.refetch()}>
          Try again
        </Button>
      </PlainPage>
    );
  }
  if (theme.isPending) return <PlainPage text="Loading theme..." />;

  const signedIn = me.data.account !== null;
  const signedOutOnly = (screen: React.ReactNode) => (
    <SignedOutOnly signedIn={signedIn}>{screen}</SignedOutOnly>
  );
  return (
    <Suspense fallback={<PlainPage text="Loading..." />}>
      <Routes>
        <Route path="/signin" element={signedOutOnly(<SignInScreen />)} />
        <Route path="/signup" element={signedOutOnly(<SignUpScreen />)} />
        <Route path="/reset-password" element={<ResetPasswordScreen />} />
        <Route path="/verify-email" element={<VerifyEmailScreen />} />
        <Route path="/privacy" element={<PrivacyScreen signedIn={signedIn} />} />
        <Route path="*" element={<SignedInOnly signedIn={signedIn} />} />
      </Routes>
    </Suspense>
  );
}
