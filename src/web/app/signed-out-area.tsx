import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { removeStoredApp } from '#web/data/app-storage.ts';
import { SignInScreen } from '#web/features/sign-in/sign-in-screen.tsx';
import { SignUpScreen } from '#web/features/sign-in/sign-up-screen.tsx';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { PlainPage } from '#web/ui/plain-page.tsx';

const ResetPasswordScreen = lazy(() =>
  import('#web/features/sign-in/reset-password-screen.tsx').then((module) => ({
    default: module.ResetPasswordScreen,
  })),
);

const VerifyEmailScreen = lazy(() =>
  import('#web/features/sign-in/verify-email-screen.tsx').then((module) => ({
    default: module.VerifyEmailScreen,
  })),
);

const UnsubscribeScreen = lazy(() =>
  import('#web/features/sign-in/unsubscribe-screen.tsx').then((module) => ({
    default: module.UnsubscribeScreen,
  })),
);

const OutsideReportScreen = lazy(() =>
  import('#web/features/sign-in/outside-report-screen.tsx').then((module) => ({
    default: module.OutsideReportScreen,
  })),
);

const DataCopyScreen = lazy(() =>
  import('#web/features/sign-in/data-copy-screen.tsx').then((module) => ({
    default: module.DataCopyScreen,
  })),
);

const SignOnScreen = lazy(() =>
  import('#web/features/sign-in/sign-on-screen.tsx').then((module) => ({
    default: module.SignOnScreen,
  })),
);

/** The path to open after sign-in. */
function toReturnPath(state: unknown): string {
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : null;
  // Requires a single leading slash: two slashes would name another host.
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : '/home';
}

/** The screens with which a visitor gets in. Their code loads only when one of them opens. */
export function SignedOutArea({ signedIn }: { signedIn: boolean }) {
  const { state } = useLocation();
  useEffect(() => {
    // The session may have ended while the app was closed.
    if (!signedIn) void removeStoredApp();
  }, [signedIn]);
  const redirectSignedIn = (screen: ReactNode) =>
    signedIn ? <Navigate to={toReturnPath(state)} replace /> : screen;
  const requirePasswords = (screen: ReactNode) =>
    site.hasPasswords ? screen : <Navigate to="/signin" replace />;
  return (
    <Suspense fallback={<PlainPage text={getText('common.loading')} />}>
      <Routes>
        <Route path="/signin" element={redirectSignedIn(<SignInScreen />)} />
        <Route path="/signup" element={requirePasswords(redirectSignedIn(<SignUpScreen />))} />
        <Route path="/reset-password" element={requirePasswords(<ResetPasswordScreen />)} />
        <Route path="/verify-email" element={requirePasswords(<VerifyEmailScreen />)} />
        <Route path="/sign-on" element={<SignOnScreen />} />
        <Route path="/report" element={<OutsideReportScreen signedIn={signedIn} />} />
        <Route path="/data-copy" element={<DataCopyScreen />} />
        <Route path="/unsubscribe" element={<UnsubscribeScreen signedIn={signedIn} />} />
      </Routes>
    </Suspense>
  );
}
