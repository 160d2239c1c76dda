// The first page of the profile (/profile): the email address and 'Log Out', then the password, the export and the
// deletion of the account. Log Out first asks about unsent messages, because it deletes everything that this browser
// stores.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { RejectedError } from '#web/rejected-error.ts';
import { toRouteUrl } from '#contract/routes.ts';
import { call, toErrorMessage, NetworkError } from '#web/api.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { clearNotifications } from '#web/data/app-storage.ts';
import { reloadSignedOut, publishSessionChange } from '#web/data/session.ts';
import { useCommand } from '#web/data/use-call.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { site } from '#web/site.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { DeletionSection } from './deletion-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './profile-screen.module.css';

/** Allows for slow connections. A failed call shows its error immediately. */
const timeoutMs = 15_000; // PROFILE-4

async function fetchEmail(): Promise<string> {
  try {
    const { account } = await call('me', {}, timeoutMs);
    return account ? account.email || 'No email provided' : 'No email found';
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

const toUnsentQuestion = (count: number) =>
  `${count === 1 ? 'One of your messages was' : `${count} of your messages were`} not sent and will be lost. Log out anyway?`;

const undeletedQuestion =
  'Your class may still see a message that you deleted: the server has not confirmed it. Log out anyway?';

interface Props {
  live: Pick<LiveClient, 'unsentCount' | 'clearUnsent' | 'finishDeletions'>;
  /** The links to the other pages, on a phone. */
  children: ReactNode;
}

export function AccountPage({ live, children }: Props) {
  const { confirm } = useDialogs();
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
    const unsentCount = live.unsentCount();
    const action = { label: 'Log Out', danger: true };
    if (unsentCount > 0 && !(await confirm(toUnsentQuestion(unsentCount), action))) return;
    if (!(await live.finishDeletions()) && !(await confirm(undeletedQuestion, action))) return;
    signOut.mutate({});
  };
  return (
    <>
      <div className="stack-l start">
        <Logo url={useLogoUrl()} height={40} />
        <div>
          <p className="meta">Email</p>
          <p className={styles.email}>
            {email.isPending ? 'Loading...' : (email.data ?? 'Error fetching email')}
          </p>
        </div>
        <p className="muted">
          No one in your classes sees this address. You have a different identity in each class,
          which no classmate can trace to it or to your others. Only the operator of this server
          could. <Link to="/privacy">Who can see what</Link>
        </p>
        <Callout kind="error">
          {signOut.error instanceof RejectedError ? toErrorMessage(signOut.error) : null}
        </Callout>
        <Button aria-disabled={signOut.isPending} onClick={() => void logOut()}>
          Log Out
        </Button>
      </div>
      {children}
      {site.hasPasswords && <PasswordSection email={email.data?.includes('@') ? email.data : ''} />}
      <ProfileSection
        title="Your data"
        lead="A file of everything we store about you: your classes, your names in them, your messages and your reactions. It contains nothing written by others."
      >
        <a className={toButtonClass('quiet')} href={toRouteUrl('exportAccount', {})} download>
          Download my data
        </a>
      </ProfileSection>
      <DeletionSection clearUnsent={() => live.clearUnsent()} />
    </>
  );
}
