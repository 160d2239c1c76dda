import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'react-router';
import { getText } from '#web/get-text.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { call } from '#web/api.ts';
import { publishSessionChange, refreshMe } from '#web/data/session.ts';
import { site } from '#web/site.ts';
import { Link } from '#web/ui/navigation.tsx';
import { AuthPage } from './auth-page.tsx';
import { CredentialsForm, findNewEmailError, useCredentials } from './credentials-form.tsx';
import { SignOn } from './sign-on.tsx';

/** Loads only where unmasking is switched on. */
const UnmaskingNotice = lazy(() =>
  import('#web/data/transparency.ts').then(
    ({ toUnmaskingNotice }) => ({ default: () => toUnmaskingNotice(site.unmaskingSince) }),
    () => ({ default: () => 'Unmasking is switched on here: see ‘Who can see what’.' }),
  ),
);

export function SignUpScreen() {
  const location = useLocation();
  return (
    <AuthPage
      title={`Join ${site.appName}`}
      lead={
        <>
          We use your university email only to check that you study here. Classmates never see it or
          your name. <Suspense>{site.unmaskingSince && <UnmaskingNotice />}</Suspense>
        </>
      }
      foot={
        <>
          <Link to="/signin" state={location.state}>
            Sign in instead
          </Link>
          <Link to="/privacy">Who can see what</Link>
        </>
      }
    >
      <SignOn requestedPath={location.state?.from} info={null} />
      <SignUpForm />
    </AuthPage>
  );
}

const mailSentText =
  'We sent an email to this address. Open the link in it. If it does not arrive, check your spam folder or send it again.';

function SignUpForm() {
  const client = useQueryClient();
  const credentials = useCredentials();
  const { email, password, reject } = credentials;
  const [mailedAddress, setMailedAddress] = useState<string | null>(null);
  const signUp = useMutation({
    mutationFn: () => call('signUp', { body: { email, password } }),
    onSuccess: async ({ verify }) => {
      if (verify) {
        credentials.setInfo(mailSentText);
        setMailedAddress(email);
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
    signUp.mutate();
  };
  const idleLabel = mailedAddress === email ? 'Send again' : 'Sign Up';
  return (
    <CredentialsForm
      credentials={credentials}
      passwordKind="new"
      isBusy={signUp.isPending}
      submitLabel={signUp.isPending ? 'Creating your account…' : idleLabel}
      onSubmit={submit}
    />
  );
}
