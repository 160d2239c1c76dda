import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useNavigate } from 'react-router';
import { getText } from '#web/get-text.ts';
import { call } from '#web/api.ts';
import { refreshMe, publishSessionChange } from '#web/data/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { Link, useLinkParams } from '#web/ui/navigation.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';

const signUp = {
  title: 'Verify your email',
  lead: 'Enter the password you chose when you signed up. Forgot it? Sign up again to get a new link by email.',
  leadWithoutToken: 'Sign up again to get a new link by email.',
  button: 'Verify my email',
  pending: 'Verifying…',
};

/** An operator gave the account a new address. */
const addressChange = {
  title: 'Confirm your new address',
  lead: 'Enter the password of your account. Then you sign in with this address, and your other devices are signed out. If you have forgotten the password, ask for a link to reset it at your old address.',
  leadWithoutToken: 'Ask the operator for a new link.',
  button: 'Confirm my new address',
  pending: 'Confirming…',
};

/**
 * Verification requires a button press, because mail scanners also open links. The password proves that the
 * owner of the mailbox is the person who signed up, and signs them in.
 */
export function VerifyEmailScreen() {
  const search = useLinkParams();
  const token = search.get('token') ?? '';
  const texts = search.get('change') === 'address' ? addressChange : signUp;
  const client = useQueryClient();
  const navigate = useNavigate();
  const errorId = useId();
  const verify = useMutation({
    mutationFn: (password: string) => call('verifyEmail', { body: { token, password } }),
    onSuccess: async () => {
      publishSessionChange('signed-in');
      await refreshMe(client);
      await navigate('/home', { replace: true });
    },
  });
  const form = useForm({
    fields: { password: '' },
    command: verify,
    findProblems: ({ password }) => ({ password: password ? null : 'Please enter your password.' }),
    findWrongField: () => 'password',
    onSubmit: ({ password }) => verify.mutate(password),
  });
  const error = token ? form.problems.password : getText('error.INVALID_LINK');
  return (
    <AuthPage
      title={texts.title}
      lead={token ? texts.lead : texts.leadWithoutToken}
      foot={
        <>
          <Link to="/signin">Back to sign in</Link>
          {texts === signUp && <Link to="/signup">Sign up again</Link>}
        </>
      }
    >
      <Form form={form} className="stack">
        {token && (
          <PasswordField
            kind="current"
            {...form.bind('password')}
            problem={null}
            problemId={error ? errorId : undefined}
          />
        )}
        <Callout kind="error" id={errorId}>
          {error ?? null}
        </Callout>
        {token && (
          <Button variant="primary" wide type="submit" aria-disabled={form.isPending}>
            {form.isPending ? texts.pending : texts.button}
          </Button>
        )}
      </Form>
    </AuthPage>
  );
}
