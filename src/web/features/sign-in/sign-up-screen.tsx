import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'react-router';
import { hasPasswordLength } from '#contract/limits.ts';
import { call } from '#web/api.ts';
import { publishSessionChange, refreshMe } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Link } from '#web/ui/navigation.tsx';
import { AuthPage } from './auth-page.tsx';
import { CredentialsForm, findNewEmailError, useCredentials } from './credentials-form.tsx';
import { SignOn } from './sign-on.tsx';

/** Loads only where unmasking is switched on. */
const UnmaskingNotice = lazy(() =>
  import('#web/data/transparency.ts').then(
    ({ toUnmaskingNotice }) => ({ default: () => toUnmaskingNotice(site.unmaskingSince) }),
    () => ({ default: () => getText('signIn.signUp.unmasking') }),
  ),
);

export function SignUpScreen() {
  const location = useLocation();
  return (
    <AuthPage
      title={getText('signIn.signUp.title', { appName: site.appName })}
      lead={
        <>
          {getText('signIn.signUp.lead')}{' '}
          <Suspense>{site.unmaskingSince && <UnmaskingNotice />}</Suspense>
        </>
      }
      foot={
        <>
          <Link to="/signin" state={location.state}>
            {getText('signIn.signUp.toSignIn')}
          </Link>
          <Link to="/privacy">{getText('privacy.title')}</Link>
        </>
      }
    >
      <SignOn requestedPath={location.state?.from} info={null} />
      <SignUpForm />
    </AuthPage>
  );
}

function SignUpForm() {
  const client = useQueryClient();
  const credentials = useCredentials();
  const { email, password, reject } = credentials;
  const [mailedAddress, setMailedAddress] = useState<string | null>(null);
  const signUp = useMutation({
    mutationFn: (address: string) => call('signUp', { body: { email: address, password } }),
    onSuccess: async ({ verify }, address) => {
      if (verify) {
        credentials.setInfo(getText('signIn.signUp.mailed'));
        setMailedAddress(address);
        return;
      }
      publishSessionChange('signed-in');
      await refreshMe(client);
    },
    onError: credentials.showError,
  });
  const submit = () => {
    const emailError = findNewEmailError(email);
    if (emailError) return reject(emailError, 'email');
    if (!hasPasswordLength(password)) {
      return reject(getText('error.PASSWORD_LENGTH'), 'password');
    }
    signUp.mutate(email);
  };
  const isMailed = mailedAddress === email;
  const idleLabel = isMailed ? getText('signIn.signUp.again') : getText('signIn.signUp.submit');
  return (
    <CredentialsForm
      credentials={credentials}
      passwordKind="new"
      isBusy={signUp.isPending}
      submitLabel={signUp.isPending ? getText('signIn.signUp.pending') : idleLabel}
      onSubmit={submit}
    />
  );
}
