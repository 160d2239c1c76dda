import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { routeUrl } from '#contract/route-url.ts';
import { call, errorMessage } from '#web/api.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { leaveSignedOut, broadcastSession } from '#web/data/session.ts';
import type { Live } from '#web/sync/room.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { Screen } from '#web/ui/screen.tsx';
import { DeletionSection } from './deletion-section.tsx';
import { DevicesSection } from './devices-section.tsx';
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

const unsentQuestion = (count: number) =>
  `${count === 1 ? 'A message of yours was' : `${count} messages of yours were`} not sent and will be lost. Log out anyway?`;

export function ProfileScreen({ live }: { live: Pick<Live, 'unsent' | 'forgetUnsent'> }) {
  const { confirm } = useDialogs();
  const email = useQuery({ queryKey: ['profile'], queryFn: fetchEmail, gcTime: 0, retry: false });
  const signOut = useMutation({
    mutationFn: () => call('signOut', {}),
    onSuccess: () => {
      broadcastSession('signed-out');
      void leaveSignedOut(live.forgetUnsent);
    },
  });
  const logOut = async () => {
    const unsent = live.unsent();
    if (unsent > 0 && !(await confirm(unsentQuestion(unsent)))) return;
    if (!signOut.isPending) signOut.mutate();
  };
  return (
    <Screen title="Profile">
      <div className={styles.profile}>
        <Logo url={useLogoUrl()} height={40} />
        <div>
          <p className={styles.label}>Email</p>
          <p className={styles.email}>
            {email.isPending ? 'Loading...' : (email.data ?? 'Error fetching email')}
          </p>
        </div>
        <p className={styles.note}>
          Only you can see this. You have a different identity in each class, and none of them can
          be traced to this address or to each other. <Link to="/privacy">Who can see what</Link>
        </p>
        <Callout kind="error">{signOut.isError ? errorMessage(signOut.error) : null}</Callout>
        <Button aria-disabled={signOut.isPending} onClick={() => void logOut()}>
          Log Out
        </Button>
      </div>
      <div className={styles.sections}>
        <DevicesSection />
        <PasswordSection email={email.data?.includes('@') ? email.data : ''} />
        <ProfileSection
          title="Your data"
          lead="A file of everything we store about you: your classes, your names in them, your messages and your reactions. It contains nothing written by others."
        >
          <a className={buttonClass('quiet')} href={routeUrl('exportAccount', {})} download>
            Download My Data
          </a>
        </ProfileSection>
        <DeletionSection forgetUnsent={live.forgetUnsent} />
      </div>
    </Screen>
  );
}
