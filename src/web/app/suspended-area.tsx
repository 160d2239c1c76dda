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
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { openOutboxStorage } from '#web/sync/outbox/indexed-db-storage.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { School } from '#web/ui/logo.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from '#web/features/sign-in/auth-page.module.css';

/** The only screen of a suspended account: the reason and the end, the appeal, and the rights to its data. */
export function SuspendedArea() {
  const client = useQueryClient();
  const account = useMe().data?.account;
  useTitle(getText('app.suspended.title'));
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
      <div className={styles.column} style={{ maxWidth: 480 }}>
        <header className="stack-s start">
          <School theme={useSchoolTheme().data ?? null} height={40} />
          <h1 className={styles.title}>{getText('app.suspended.summary')}</h1>
          <p className={styles.lead}>
            {getRichText('legal.suspended.lead', { link: <Link to="/privacy" /> })}
          </p>
        </header>
        <Suspensions />
        <Callout kind="error">{signOut.isError ? toErrorMessage(signOut.error) : null}</Callout>
        <div className="wrap">
          <Button onClick={() => void refreshMe(client)}>
            {getText('app.suspended.checkAgain')}
          </Button>
          <Button aria-disabled={signOut.isPending} onClick={() => signOut.mutate({})}>
            {getText('app.suspended.logOut')}
          </Button>
        </div>
        <ProfileSection
          title={getText('app.suspended.data.title')}
          lead={getText('legal.suspended.data')}
        >
          <a className={toButtonClass('quiet')} href={toRouteUrl('exportAccount', {})} download>
            {getText('app.suspended.data.download')}
          </a>
        </ProfileSection>
        <DeletionSection clearUnsent={clearUnsent} />
      </div>
    </main>
  );
}
