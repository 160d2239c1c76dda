import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toRouteUrl } from '#contract/routes.ts';
import { toErrorMessage } from '#web/api.ts';
import { removeStoredApp } from '#web/data/app-storage.ts';
import { publishSessionChange, refreshMe, reloadSignedOut, useMe } from '#web/data/session.ts';
import { useCommand } from '#web/data/use-call.ts';
import { Suspensions } from '#web/features/appeal/suspensions.tsx';
import { DeletionSection } from '#web/features/profile/deletion-section.tsx';
import { ProfileSection } from '#web/features/profile/profile-section.tsx';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { openOutboxStorage } from '#web/sync/outbox/indexed-db-storage.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { School } from '#web/ui/logo.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './suspended-area.module.css';

/** The only screen of a suspended account: the reason and the end, the appeal, and the rights to its data. */
export function SuspendedArea() {
  const client = useQueryClient();
  const account = useMe().data?.account;
  useTitle('Account suspended');
  useEffect(() => {
    // Nothing notifies a suspended account.
    void removeStoredApp();
  }, []);
  const clearUnsent = async () => {
    if (account) await (await openOutboxStorage()).clear(account.key);
  };
  const signOut = useCommand('signOut', {
    onSuccess() {
      publishSessionChange('signed-out');
      void reloadSignedOut(clearUnsent);
    },
  });
  return (
    <main className={styles.page} id="main" tabIndex={-1}>
      <div className={styles.column}>
        <header className={styles.head}>
          <School theme={useSchoolTheme().data ?? null} height={40} />
          <h1 className={styles.title}>Your account is suspended</h1>
          <p className={styles.lead}>
            You cannot read or write until the suspension ends.{' '}
            <Link to="/privacy">Who can see what</Link>
          </p>
        </header>
        <Suspensions />
        <Callout kind="error">{signOut.isError ? toErrorMessage(signOut.error) : null}</Callout>
        <div className={styles.actions}>
          <Button onClick={() => void refreshMe(client)}>Check again</Button>
          <Button aria-disabled={signOut.isPending} onClick={() => signOut.mutate({})}>
            Log Out
          </Button>
        </div>
        <ProfileSection
          title="Your data"
          lead="A file of everything we store about you. The suspension does not change your right to it."
        >
          <a className={toButtonClass('quiet')} href={toRouteUrl('exportAccount', {})} download>
            Download my data
          </a>
        </ProfileSection>
        <DeletionSection clearUnsent={clearUnsent} />
      </div>
    </main>
  );
}
