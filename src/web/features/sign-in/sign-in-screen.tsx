import { Link, useLocation } from 'react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import { site } from '#web/site.ts';
import { call, errorMessage } from '#web/api.ts';
import { refreshMe, broadcastSession } from '#web/data/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';
import { emailError, EmailField } from './email-field.tsx';
import styles from './auth-page.module.css';

export function SignInScreen() {
  const location = useLocation();
  return (
    <AuthPage
      title={`Sign in to ${site.appName}`}
      lead="Talk with everyone in your class. Your classmates never see your name."
      foot={
        <>
          <Link to="/signup" state={location.state}>
            Create an account
          </Link>
          <Link to="/privacy">Who can see what</Link>
        </>
      }
    >
      <SignInForm />
    </AuthPage>
  );
}

function SignInForm() {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [info, setInfo] = useState<string | null>(
    useLocation().search === '?account-deleted' ? 'Your account is deleted.' : null,
  );
  const [wrongField, setWrongField] = useState<'email' | 'password' | null>(null);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);

  const say = (failed: unknown) => setError(errorMessage(failed));
  const signIn = useMutation({
    mutationFn: () => call('signIn', { body: { email: email.trim(), password } }),
    onSuccess: async () => {
      broadcastSession('signed-in');
      await refreshMe(client);
    },
    onError: say,
  });
  const reset = useMutation({
    mutationFn: () => call('requestPasswordReset', { body: { email: email.trim() } }),
    onSuccess: () => setInfo('Password reset email sent! Please check your inbox.'),
    onError: say,
  });
  const busy = signIn.isPending || reset.isPending;

  const refuse = (sentence: string, field: 'email' | 'password') => {
    setError(sentence);
    setWrongField(field);
    (field === 'email' ? emailField : passwordField).current?.focus();
  };
  const start = () => {
    setError(null);
    setInfo(null);
    setWrongField(null);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    start();
    const wrong = emailError(email);
    if (wrong) return refuse(wrong, 'email');
    if (!password) return refuse('Please enter your password.', 'password');
    signIn.mutate();
  };
  const forgot = () => {
    if (busy) return;
    start();
    const wrong = emailError(email, 'Please enter your email to reset your password.');
    if (wrong) return refuse(wrong, 'email');
    reset.mutate();
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <EmailField
        ref={emailField}
        wrong={wrongField === 'email'}
        value={email}
        onChange={setEmail}
      />
      <PasswordField
        ref={passwordField}
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        aria-invalid={wrongField === 'password'}
        maxLength={1000}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <div className={styles.aside}>
        <Button variant="plain" onClick={forgot}>
          Forgot Password?
        </Button>
      </div>
      <Callout kind="error">{error}</Callout>
      <Callout kind="info">{info}</Callout>
      <Button variant="primary" wide type="submit" aria-disabled={busy}>
        {signIn.isPending ? 'Signing in…' : 'Sign In'}
      </Button>
    </form>
  );
}
