import { useMutation } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { errors } from '#contract/errors.ts';
import { call, sentenceOf } from '#web/api.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { AuthPage } from './auth-page.tsx';
import styles from './auth-page.module.css';

/** A button and not a load of the page uses the link up: mail scanners open links, people press. */
export function VerifyEmailScreen() {
  const token = useSearchParams()[0].get('token') ?? '';
  const verify = useMutation({ mutationFn: () => call('verifyEmail', { body: { token } }) });
  const error = verify.isError ? sentenceOf(verify.error) : null;
  return (
    <AuthPage
      title="Verify your email"
      lead="One press, and your account is ready."
      foot={<Link to="/signin">Back to sign in</Link>}
    >
      <div className={styles.form}>
        <Callout kind="error">{token ? error : errors.INVALID_LINK.message}</Callout>
        <Callout kind="info">
          {verify.isSuccess ? 'Your email is verified. You can sign in now.' : null}
        </Callout>
        {verify.isSuccess ? (
          <Link to="/signin" className={buttonClass('primary', true)}>
            Sign in
          </Link>
        ) : (
          token && (
            <Button
              look="primary"
              wide
              aria-disabled={verify.isPending}
              onClick={() => {
                if (!verify.isPending) verify.mutate();
              }}
            >
              Verify my email
            </Button>
          )
        )}
      </div>
    </AuthPage>
  );
}
