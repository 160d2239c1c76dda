import { Link, useLocation } from 'react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import { site } from '#web/site.ts';
import { errors, AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { hasPasswordLength } from '#contract/password-length.ts';
import { call, errorMessage } from '#web/api.ts';
import { refreshMe, broadcastSession } from '#web/data/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';
import { emailError, EmailField } from './email-field.tsx';
import styles from './auth-page.module.css';

export function SignUpScreen() {
  const location = useLocation();
  return (
    <AuthPage
      title={`Join ${site.appName}`}
      lead="We use your university email only to check that you study here. Classmates never see it or your name."
      foot={
        <>
          <Link to="/signin" state={location.state}>
            Sign in instead
          </Link>
          <Link to="/privacy">Who can see what</Link>
        </>
      }
    >
      <SignUpForm />
    </AuthPage>
  );
}

function SignUpForm() {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [info, setInfo] = useState<string | null>(null);
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const [wrongField, setWrongField] = useState<'email' | 'password' | null>(null);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);

  const signUp = useMutation({
    mutationFn: () => call('signUp', { body: { email: email.trim(), password } }),
    onSuccess: async ({ verify }) => {
      if (verify) {
        setInfo(
          'We have sent an email to this address: please open the link in it. If it doesn’t arrive, check your spam folder or send it again.',
        );
        setMailedTo(email.trim());
        return;
      }
      broadcastSession('signed-in');
      await refreshMe(client);
    },
    onError: (failed) => {
      const ofPassword = failed instanceof AppError && failed.code.startsWith('PASSWORD_');
      if (ofPassword) refuse(failed.message, 'password');
      else setError(errorMessage(failed));
    },
  });

  const refuse = (sentence: string, field: 'email' | 'password') => {
    setError(sentence);
    setWrongField(field);
    (field === 'email' ? emailField : passwordField).current?.focus();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (signUp.isPending) return;
    setError(null);
    setInfo(null);
    setWrongField(null);
    const wrong = emailError(email);
    if (wrong) return refuse(wrong, 'email');
    if (!hasPasswordLength(password)) return refuse(errors.PASSWORD_LENGTH.message, 'password');
    signUp.mutate();
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
        hint={`At least ${limits.passwordMin} characters.`}
        name="new-password"
        autoComplete="new-password"
        required
        aria-invalid={wrongField === 'password'}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Callout kind="error">{error}</Callout>
      <Callout kind="info">{info}</Callout>
      <Button variant="primary" wide type="submit" aria-disabled={signUp.isPending}>
        {signUp.isPending
          ? 'Creating your account…'
          : mailedTo === email.trim()
            ? 'Send Again'
            : 'Sign Up'}
      </Button>
    </form>
  );
}
