// All screens of people who are not signed in: sign in (here), sign up, the link that verifies an address, a new
// password, the university's provider (`sign-on-screen.tsx`), the link that ends the daily mail, and reports from
// outside. Members never load them (`app/signed-out-area.tsx`). The server answers the same for known and unknown
// addresses, so no screen tells whether an address has an account.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { call } from '#web/api.ts';
import { publishSessionChange, refreshMe, useHasSessionEnded } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { AuthPage } from './auth-page.tsx';
import { CredentialsForm, findEmailError, useCredentials } from './credentials-form.tsx';
import { SignOn } from './sign-on.tsx';
import styles from './auth-page.module.css';

/** The server says nothing to a session that has ended, so the sentence names all reasons. AUTH-74 */
const endedText = getText('signIn.sessionEnded');

export function SignInScreen() {
  const location = useLocation();
  const wasDeleted = location.search === '?account-deleted';
  const hasEnded = useHasSessionEnded();
  const deletionNotice = wasDeleted ? getText('signIn.accountDeleted') : null;
  const isClassLink = String(location.state?.from).startsWith('/home/');
  const notice = hasEnded ? endedText : deletionNotice;
  return (
    <AuthPage
      title={getText('signIn.title', { appName: site.appName })}
      lead={isClassLink ? getText('signIn.lead.class') : getText('signIn.lead')}
      foot={
        <>
          {site.hasPasswords && (
            <Link to="/signup" state={location.state}>
              {getText('signIn.toSignUp')}
            </Link>
          )}
          <Link to="/privacy">{getText('privacy.title')}</Link>
        </>
      }
    >
      <SignOn requestedPath={location.state?.from} info={site.hasPasswords ? null : notice} />
      {site.hasPasswords && <SignInForm info={notice} />}
    </AuthPage>
  );
}

function SignInForm({ info }: { info: string | null }) {
  const client = useQueryClient();
  const credentials = useCredentials(info);
  const { email, password, reject, showError } = credentials;
  const signIn = useMutation({
    mutationFn: () => call('signIn', { body: { email, password } }),
    onSuccess: async () => {
      publishSessionChange('signed-in');
      await refreshMe(client);
    },
    onError: showError,
  });
  const reset = useMutation({
    mutationFn: () => call('requestPasswordReset', { body: { email } }),
    onSuccess: () => credentials.setInfo(getText('signIn.forgotten.done')),
    onError: showError,
  });
  const isBusy = signIn.isPending || reset.isPending;

  const submit = () => {
    const emailError = findEmailError(email);
    if (emailError) return reject(emailError, 'email');
    if (!password) return reject(getText('signIn.password.missing'), 'password');
    signIn.mutate();
  };
  const requestReset = () => {
    if (isBusy) return;
    credentials.clearMessages();
    const emailError = email ? findEmailError(email) : getText('signIn.forgotten.noEmail');
    if (emailError) return reject(emailError, 'email');
    reset.mutate();
  };

  return (
    <CredentialsForm
      credentials={credentials}
      passwordKind="current"
      isBusy={isBusy}
      submitLabel={signIn.isPending ? getText('signIn.pending') : getText('signIn.submit')}
      onSubmit={submit}
    >
      <div className={styles.aside}>
        <Button variant="plain" onClick={requestReset}>
          {getText('signIn.forgotten.label')}
        </Button>
      </div>
    </CredentialsForm>
  );
}
