import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useNavigate } from 'react-router';
import { call } from '#web/api.ts';
import { refreshMe, publishSessionChange } from '#web/data/session.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { Link, useLinkParams } from '#web/ui/navigation.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { AuthPage } from './auth-page.tsx';

const signUp = getTexts('signIn.verify');

/** An operator gave the account a new address. */
const addressChange = getTexts('signIn.newAddress');

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
      // The person may have come from a course.
      const { course } = await call('readCourse', {});
      await navigate(course ? '/course' : '/home', { replace: true });
    },
  });
  const form = useForm({
    fields: { password: '' },
    command: verify,
    findProblems: ({ password }) => ({
      password: password ? null : getText('signIn.password.missing'),
    }),
    findWrongField: () => 'password',
    onSubmit: ({ password }) => verify.mutate(password),
  });
  const error = token ? form.problems.password : getText('error.INVALID_LINK');
  return (
    <AuthPage
      title={texts.title}
      lead={token ? texts.lead : texts.noToken}
      foot={
        <>
          <Link to="/signin">{getText('signIn.back')}</Link>
          {texts === signUp && <Link to="/signup">{getText('signIn.verify.signUpAgain')}</Link>}
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
            {form.isPending ? texts.pending : texts.submit}
          </Button>
        )}
      </Form>
    </AuthPage>
  );
}
