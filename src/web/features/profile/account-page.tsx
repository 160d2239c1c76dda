// The first page of the profile (/profile): the email address and 'Log Out', then the password, the export and the
// deletion of the account. Log Out first asks about unsent messages, because it deletes everything that this browser
// stores.
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { toRouteUrl } from '#contract/routes.ts';
import { call, toErrorMessage, NetworkError } from '#web/api.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { clearNotifications } from '#web/data/app-storage.ts';
import { reloadSignedOut, publishSessionChange, useIsModerator } from '#web/data/session.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { getMetaContent, site } from '#web/site.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { DeletionSection } from './deletion-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

const PasskeysSection = lazy(() =>
  import('./passkeys-section.tsx').then((module) => ({ default: module.PasskeysSection })),
);

/** Allows for slow connections. A failed call shows its error immediately. */
const timeoutMs = 15_000; // PROFILE-4

async function fetchEmail(): Promise<string> {
  try {
    const { account } = await call('me', {}, timeoutMs);
    if (!account) return getText('profile.email.signedOut');
    return account.email || getText('profile.email.missing');
  } catch (error) {
    console.error('The profile could not be read.', error);
    throw error;
  }
}

/** Signs out without a network. This device forgets the account now, and the server ends the session at the next connection. */
async function signOutLater(clearUnsent: () => Promise<void>): Promise<void> {
  publishSessionChange('signing-out');
  await clearNotifications();
  await reloadSignedOut(clearUnsent, '/signin', true);
}

interface Props {
  live: Pick<LiveClient, 'unsentCount' | 'clearUnsent' | 'finishDeletions'>;
  /** The links to the other pages, on a phone. */
  children: ReactNode;
}

export function AccountPage({ live, children }: Props) {
  const { confirm } = useDialogs();
  const isOffered = getMetaContent('second-factor', '') !== 'off';
  const isModerator = useIsModerator();
  const passkeys = useCall('listPasskeys', {}, { gcTime: 0, enabled: isOffered });
  // Whoever lost the role can still remove them.
  const hasPasskeys = passkeys.data !== undefined && passkeys.data.passkeys.length > 0;
  const email = useQuery({ queryKey: ['profile'], queryFn: fetchEmail, gcTime: 0, retry: false });
  const signOut = useCommand('signOut', {
    onSuccess: () => {
      publishSessionChange('signed-out');
      void reloadSignedOut(() => live.clearUnsent());
    },
    onError: (error) => {
      if (error instanceof NetworkError) void signOutLater(() => live.clearUnsent());
    },
  });
  const logOut = async () => {
    const count = live.unsentCount();
    const ask = (question: string) =>
      confirm(question, { label: getText('profile.logOut'), danger: true });
    if (count > 0 && !(await ask(getText('profile.logOut.unsent', { count })))) return;
    const areDeleted = await live.finishDeletions();
    if (!areDeleted && !(await ask(getText('profile.logOut.undeleted')))) return;
    signOut.mutate({});
  };
  return (
    <>
      <div className="stack-l start">
        <Logo url={useLogoUrl()} height={40} />
        <div>
          <p className="meta">{getText('profile.email.label')}</p>
          <p className={styles.email} dir="auto">
            {email.isPending
              ? getText('common.loading')
              : (email.data ?? getText('profile.email.failed'))}
          </p>
        </div>
        <p className="muted">{getRichText('profile.identity', { link: <Link to="/privacy" /> })}</p>
        <Callout kind="error">
          {signOut.error instanceof RejectedError ? toErrorMessage(signOut.error) : null}
        </Callout>
        <Button aria-disabled={signOut.isPending} onClick={() => void logOut()}>
          {getText('profile.logOut')}
        </Button>
      </div>
      {children}
      {site.hasPasswords && <PasswordSection email={email.data?.includes('@') ? email.data : ''} />}
      {isOffered && (isModerator || hasPasskeys) && (
        <Suspense>
          <PasskeysSection canAdd={isModerator} />
        </Suspense>
      )}
      <ProfileSection title={getText('profile.export.title')} lead={getText('profile.export.lead')}>
        <a className={toButtonClass('quiet')} href={toRouteUrl('exportAccount', {})} download>
          {getText('profile.export.download')}
        </a>
      </ProfileSection>
      <DeletionSection clearUnsent={() => live.clearUnsent()} />
    </>
  );
}
