import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { call, toErrorMessage } from '#web/api.ts';
import { publishSessionChange, refreshMe } from '#web/data/session.ts';
import { takeSignOnPath } from '#web/data/sign-on.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link, useLinkParams } from '#web/ui/navigation.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';

/** The page to which the provider and the mailed link lead. */
export function SignOnScreen() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const link = useLinkParams().get('link');
  const [email, setEmail] = useState<string | null>(null);
  const hasStarted = useRef(false);
  const onSignedIn = async () => {
    publishSessionChange('signed-in');
    await refreshMe(client);
    await navigate(takeSignOnPath(), { replace: true });
  };
  const finish = useMutation({
    mutationFn: (response: string) => call('finishSignOn', { body: { response } }),
    onSuccess: (reply) => (reply.email === null ? onSignedIn() : setEmail(reply.email)),
  });
  const { mutate } = finish;
  useEffect(() => {
    // React calls effects twice in development, and a code of the provider works once.
    if (link !== null || hasStarted.current) return;
    hasStarted.current = true;
    const response = location.search;
    // The code must not stay in the history of the browser.
    history.replaceState(history.state, '', location.pathname);
    mutate(response);
  }, [link, mutate]);

  if (link !== null) return <LinkPage link={link} onSignedIn={onSignedIn} />;
  if (email !== null) return <JoinPage email={email} onSignedIn={onSignedIn} />;
  return (
    <AuthPage
      title={finish.error ? getText('signIn.signOn.failed') : getText('signIn.signOn.title')}
      lead={finish.error ? getText('signIn.signOn.failed.lead') : getText('signIn.signOn.lead')}
      foot={<Link to="/signin">{getText('signIn.back')}</Link>}
    >
      <Callout kind="error">{finish.error && toErrorMessage(finish.error)}</Callout>
    </AuthPage>
  );
}

interface JoinProps {
  onSignedIn: () => Promise<void>;
}

/** Asks for the account's password or a mailed link, because another person may have the address or control the provider. */
function JoinPage({ email, onSignedIn }: JoinProps & { email: string }) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const errorId = useId();
  const field = useRef<HTMLInputElement>(null);
  const onError = (failure: unknown) => setError(toErrorMessage(failure));
  const join = useMutation({
    mutationFn: () => call('joinSignOn', { body: { password } }),
    onSuccess: onSignedIn,
    onError(failure) {
      onError(failure);
      field.current?.focus();
    },
  });
  const mail = useMutation({ mutationFn: () => call('mailSignOnLink', {}), onError });
  const isBusy = join.isPending || mail.isPending;
  const isPasswordWrong = error !== null && !mail.isError;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setError(null);
    if (password) return join.mutate();
    setError(getText('signIn.password.missing'));
    field.current?.focus();
  };
  const sendLink = () => {
    setError(null);
    mail.mutate();
  };
  return (
    <AuthPage
      title={getText('signIn.join.title')}
      lead={getText('signIn.join.lead', { email, provider: site.signOnLabel })}
      foot={<Link to="/signin">{getText('signIn.back')}</Link>}
    >
      <form className="stack" onSubmit={submit} noValidate>
        {site.hasPasswords && (
          <>
            <input type="email" autoComplete="username" value={email} readOnly hidden />
            <PasswordField
              ref={field}
              kind="current"
              problemId={isPasswordWrong ? errorId : undefined}
              value={password}
              onChange={({ target }) => setPassword(target.value)}
            />
            <Button variant="primary" wide type="submit" aria-disabled={isBusy}>
              {getText('signIn.join.submit')}
            </Button>
          </>
        )}
        <Button
          variant={site.hasPasswords ? 'quiet' : 'primary'}
          wide
          aria-disabled={isBusy}
          onClick={sendLink}
        >
          {site.hasPasswords ? getText('signIn.join.mailInstead') : getText('signIn.join.mail')}
        </Button>
        <Callout kind="error" id={errorId}>
          {error}
        </Callout>
        <Callout kind="info">{mail.isSuccess ? getText('signIn.join.mailed') : null}</Callout>
      </form>
    </AuthPage>
  );
}

/** Requires a button press, because mail scanners also open links. */
function LinkPage({ link, onSignedIn }: JoinProps & { link: string }) {
  const join = useMutation({
    mutationFn: () => call('joinSignOn', { body: { token: link } }),
    onSuccess: onSignedIn,
  });
  return (
    <AuthPage
      title={getText('signIn.link.title')}
      lead={getText('signIn.link.lead', { provider: site.signOnLabel })}
      foot={<Link to="/signin">{getText('signIn.back')}</Link>}
    >
      <div className="stack">
        <Button variant="primary" wide aria-disabled={join.isPending} onClick={() => join.mutate()}>
          {getText('signIn.link.submit')}
        </Button>
        <Callout kind="error">{join.error && toErrorMessage(join.error)}</Callout>
      </div>
    </AuthPage>
  );
}
