import { useMutation } from '@tanstack/react-query';
import { call, toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link, useSearchParams } from '#web/ui/navigation.tsx';
import { AuthPage } from './auth-page.tsx';

/** The screen behind the link in each daily email. Mail scanners also open links, so it requires a button press. */
export function UnsubscribeScreen({ signedIn }: { signedIn: boolean }) {
  const token = useSearchParams().get('token') ?? '';
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => call('unsubscribeDigest', { query: { token } }),
  });
  const failure = token ? error && toErrorMessage(error) : getText('signIn.digest.incomplete');
  return (
    <AuthPage
      title={getText('signIn.digest.title')}
      lead={getText('signIn.digest.lead')}
      foot={
        signedIn ? (
          <Link to="/profile/notifications">{getText('signIn.digest.toProfile')}</Link>
        ) : (
          <Link to="/signin">{getText('signIn.digest.toSignIn')}</Link>
        )
      }
    >
      <div className="stack">
        <Callout kind="error">{failure}</Callout>
        <Callout kind="info">{isSuccess ? getText('signIn.digest.done') : null}</Callout>
        {token && !isSuccess && (
          <Button variant="primary" wide aria-disabled={isPending} onClick={() => mutate()}>
            {isPending ? getText('signIn.digest.pending') : getText('signIn.digest.submit')}
          </Button>
        )}
      </div>
    </AuthPage>
  );
}
