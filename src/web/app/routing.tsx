import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, use, useEffect, useState } from 'react';
import {
  Navigate,
  Route,
  Routes,
  // Undocumented. `session-ends.spec.ts` fails if an update changes it.
  UNSAFE_LocationContext as LocationContext,
  useLocation,
} from 'react-router';
import type { CallReply } from '#contract/http.ts';
import { toErrorMessage } from '#web/api.ts';
import '#web/app/factor-confirmation.ts';
import { memberAreaQuery, presenterPath, signedOutAreaQuery } from '#web/app/first-requests.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import {
  onSessionChange,
  refreshMe,
  reloadSignedOut,
  useHasSessionEnded,
  useMe,
} from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
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

const loadingPage = <PlainPage text={getText('common.loading')} />;

/** The screens for visitors. A signed-in member can also follow a link of a mail to one of them. */
const signedOutPaths =
  /^\/(signin|signup|sign-on|reset-password|verify-email|unsubscribe|report|data-copy)\/?$/i;

interface MemberScreensProps {
  /** The session has ended, and the screens wait in memory for the same person. */
  isPaused: boolean;
}

function MemberScreens({ isPaused }: MemberScreensProps) {
  const code = useQuery({ ...memberAreaQuery, throwOnError: true }).data;
  return code ? <code.MemberArea isPaused={isPaused} /> : loadingPage;
}

function SignedOutScreens({ signedIn }: { signedIn: boolean }) {
  const code = useQuery({ ...signedOutAreaQuery, throwOnError: true }).data;
  return code ? <code.SignedOutArea signedIn={signedIn} /> : loadingPage;
}

/** The screen of a lecture hall asks for no session. */
export function Routing() {
  const { pathname } = useLocation();
  if (!presenterPath.test(pathname)) return <SessionRouting />;
  return (
    <Suspense fallback={loadingPage}>
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
  const isThemeMissing = theme.data === null;
  useEffect(() => {
    if (isThemeMissing) notify({ text: getText('app.theme.failed') });
  }, [isThemeMissing, notify]);
  useEffect(
    () =>
      onSessionChange((change) => {
        if (change === 'signed-in') void refreshMe(client);
        else if (typeof change === 'string') {
          void reloadSignedOut(undefined, '/signin', change === 'signing-out');
        }
      }),
    [client],
  );

  if (me.isPending) return loadingPage;
  if (!me.data) {
    return (
      <PlainPage text={toErrorMessage(me.error)}>
        <Button variant="primary" onClick={() => void me.refetch()}>
          {getText('common.retry')}
        </Button>
      </PlainPage>
    );
  }
  if (theme.isPending) return <PlainPage text={getText('app.theme.loading')} />;

  return <Screens account={me.data.account} />;
}

function Screens({ account }: { account: CallReply<'me'>['account'] }) {
  const hasEnded = useHasSessionEnded();
  const place = use(LocationContext);
  const { pathname, search } = place.location;
  const isSignedOutPath = signedOutPaths.test(pathname);
  const isSuspended = account?.suspended === true;
  const signedIn = account !== null && !hasEnded;
  const isMember = signedIn && !isSuspended;
  /** Where the member is, and was when the session ended. In memory, because the next person can read the history. */
  const [memberPlace, setMemberPlace] = useState<typeof place | null>(null);
  if (isMember && !isSignedOutPath && place !== memberPlace) setMemberPlace(place);

  return (
    <>
      {account && !isSuspended && memberPlace && (
        <LocationContext value={memberPlace}>
          <MemberScreens isPaused={!isMember || isSignedOutPath} />
        </LocationContext>
      )}
      {isSignedOutPath && isMember && memberPlace && (
        <Navigate to={memberPlace.location} state={memberPlace.location.state} replace />
      )}
      {isSignedOutPath && !(isMember && memberPlace) && <SignedOutScreens signedIn={signedIn} />}
      {!isSignedOutPath && !isMember && (
        <Suspense fallback={loadingPage}>
          <Routes>
            <Route path="/privacy" element={<PrivacyScreen signedIn={false} />} />
            <Route
              path="*"
              element={
                isSuspended ? (
                  <SuspendedArea />
                ) : (
                  <Navigate
                    to="/signin"
                    replace
                    // The next person at this device can read the history.
                    state={hasEnded ? null : { from: pathname + search }}
                  />
                )
              }
            />
          </Routes>
        </Suspense>
      )}
    </>
  );
}
