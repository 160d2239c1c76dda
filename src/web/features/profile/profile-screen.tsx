import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { call, sentenceOf } from '#web/api.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { leaveSignedOut, tellOtherTabs } from '#web/data/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { Screen } from '#web/ui/screen.tsx';
import styles from './profile-screen.module.css';

async function fetchEmail(): Promise<string> {
  try {
    const { account } = await call('me', {});
    return account ? account.email || 'No email provided' : 'No email found';
  } catch (error) {
    console.error('The profile could not be read.', error);
    throw error;
  }
}

export function ProfileScreen() {
  const email = useQuery({ queryKey: ['profile'], queryFn: fetchEmail, gcTime: 0, retry: false });
  const signOut = useMutation({
    mutationFn: () => call('signOut', {}),
    onSuccess: () => {
      tellOtherTabs('signed-out');
      leaveSignedOut();
    },
  });
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
          Only you see this. In every class you are somebody else: no name of yours leads to this
          address, or from one class to another. <Link to="/privacy">Who can see what</Link>
        </p>
        <Callout kind="error">{signOut.isError ? sentenceOf(signOut.error) : null}</Callout>
        <Button
          aria-disabled={signOut.isPending}
          onClick={() => {
            if (!signOut.isPending) signOut.mutate();
          }}
        >
          Log Out
        </Button>
      </div>
    </Screen>
  );
}
