import { useMutation } from '@tanstack/react-query';
import { call, toErrorMessage } from '#web/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link, useSearchParams } from '#web/ui/navigation.tsx';
import { AuthPage } from './auth-page.tsx';

const incompleteText =
  'This link is incomplete. You can turn the daily email off on your profile page.';

/** The screen behind the link in each daily email. Mail scanners also open links, so it requires a button press. */
export function UnsubscribeScreen({ signedIn }: { signedIn: boolean }) {
  const token = useSearchParams().get('token') ?? '';
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => call('unsubscribeDigest', { query: { token } }),
  });
  const failure = token ? error && toErrorMessage(error) : incompleteText;
  return (
    <AuthPage
      title="Daily email"
      lead="An email that counts the messages you missed, at most once a day."
      foot={
        signedIn ? (
          <Link to="/profile/notifications">My profile</Link>
        ) : (
          <Link to="/signin">Go to sign in</Link>
        )
      }
    >
      <div className="stack">
        <Callout kind="error">{failure}</Callout>
        <Callout kind="info">
          {isSuccess
            ? 'You get no more daily emails. You can turn them on again on your profile page.'
            : null}
        </Callout>
        {token && !isSuccess && (
          <Button variant="primary" wide aria-disabled={isPending} onClick={() => mutate()}>
            {isPending ? 'Turning off…' : 'Turn off the daily email'}
          </Button>
        )}
      </div>
    </AuthPage>
  );
}
