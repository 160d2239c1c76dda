// A button to sign in again, which confirms a call that cannot be undone, for accounts without a password.
import { useMutation } from '@tanstack/react-query';
import { toErrorMessage } from '#web/api.ts';
import { startSignOn } from '#web/data/sign-on.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';

/** The person comes back to this page, and has ten minutes for the form. OIDC-11 */
export function SignInAgain() {
  const start = useMutation({
    mutationFn: () => startSignOn(location.pathname + location.search, { again: true }),
  });
  return (
    <>
      <p>
        {site.hasPasswords
          ? getText('data.signInAgain.insteadOfPassword', { signOnLabel: site.signOnLabel })
          : getText('data.signInAgain.first', { signOnLabel: site.signOnLabel })}
      </p>
      <Button aria-disabled={start.isPending} onClick={() => start.mutate()}>
        {getText('data.signInAgain.label', { signOnLabel: site.signOnLabel })}
      </Button>
      <Callout kind="error">{start.error && toErrorMessage(start.error)}</Callout>
    </>
  );
}
