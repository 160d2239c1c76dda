import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useId, useRef, useState } from 'react';
import { browserErrors } from '#contract/browser-errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link, useLinkParams } from '#web/ui/navigation.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';

export function ResetPasswordScreen() {
  const token = useLinkParams().get('token') ?? '';
  const [newPassword, setNewPassword] = useState('');
  const [error, setError] = useState<string | null>(
    token ? null : browserErrors.INVALID_LINK.message,
  );
  const errorId = useId();
  const field = useRef<HTMLInputElement>(null);
  const reset = useMutation({
    mutationFn: () => call('resetPassword', { body: { token, newPassword } }),
    onError: (failure) => {
      setError(toErrorMessage(failure));
      if (failure instanceof RejectedError && failure.code.startsWith('PASSWORD_')) {
        field.current?.focus();
      }
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (reset.isPending) return;
    setError(null);
    if (!hasPasswordLength(newPassword)) {
      setError(browserErrors.PASSWORD_LENGTH.message);
      field.current?.focus();
      return;
    }
    reset.mutate();
  };
  return (
    <AuthPage
      title="Choose a new password"
      lead="This signs you out on every device."
      foot={<Link to="/signin">Back to sign in</Link>}
    >
      <form className="stack" onSubmit={submit} noValidate>
        {!reset.isSuccess && (
          <PasswordField
            ref={field}
            kind="new"
            problemId={error === null ? undefined : errorId}
            label="New password"
            value={newPassword}
            onChange={setNewPassword}
          />
        )}
        <Callout kind="error" id={errorId}>
          {error}
        </Callout>
        <Callout kind="info">
          {reset.isSuccess ? 'Your new password is set. You can sign in with it now.' : null}
        </Callout>
        {reset.isSuccess ? (
          <Link to="/signin" className={toButtonClass('primary', true)}>
            Sign in
          </Link>
        ) : (
          <Button variant="primary" wide type="submit" aria-disabled={reset.isPending}>
            {reset.isPending ? 'Saving…' : 'Set new password'}
          </Button>
        )}
      </form>
    </AuthPage>
  );
}
