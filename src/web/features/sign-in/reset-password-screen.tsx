import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { getText } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { hasPasswordLength } from '#contract/limits.ts';
import { call } from '#web/api.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { Link, useLinkParams } from '#web/ui/navigation.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';

export function ResetPasswordScreen() {
  const token = useLinkParams().get('token') ?? '';
  const errorId = useId();
  const reset = useMutation({
    mutationFn: (newPassword: string) => call('resetPassword', { body: { token, newPassword } }),
  });
  const form = useForm({
    fields: { newPassword: '' },
    command: reset,
    findProblems: ({ newPassword }) => ({
      newPassword: hasPasswordLength(newPassword) ? null : getText('error.PASSWORD_LENGTH'),
    }),
    findWrongField: (error) =>
      error instanceof RejectedError && error.code.startsWith('PASSWORD_') ? 'newPassword' : null,
    onSubmit: ({ newPassword }) => reset.mutate(newPassword),
  });
  const linkError = token ? null : getText('error.INVALID_LINK');
  const error = form.problems.newPassword ?? form.error ?? linkError;
  return (
    <AuthPage
      title="Choose a new password"
      lead="This signs you out on every device."
      foot={<Link to="/signin">Back to sign in</Link>}
    >
      <Form form={form} className="stack">
        {!reset.isSuccess && (
          <PasswordField
            kind="new"
            label="New password"
            {...form.bind('newPassword')}
            problem={null}
            problemId={error === null ? undefined : errorId}
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
      </Form>
    </AuthPage>
  );
}
