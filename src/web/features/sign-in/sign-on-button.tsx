import { useMutation } from '@tanstack/react-query';
import { toErrorMessage } from '#web/api.ts';
import { useHasSessionEnded } from '#web/data/session.ts';
import { startSignOn } from '#web/data/sign-on.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { SharedComputerChoice } from './credentials-form.tsx';

/** Leads to the sign-in page of the university. */
export function SignOnButton({
  requestedPath,
  info,
}: {
  requestedPath: unknown;
  info: string | null;
}) {
  // Leaving this page would lose what it keeps.
  const hasEnded = useHasSessionEnded();
  const start = useMutation({
    mutationFn: () =>
      startSignOn(typeof requestedPath === 'string' ? requestedPath : '/home', {
        inNewTab: hasEnded,
      }),
  });
  // The browser leaves this page.
  const isBusy = start.isPending || (start.isSuccess && !hasEnded);
  return (
    <div className="stack">
      {!site.hasPasswords && <SharedComputerChoice />}
      <Button
        variant={site.hasPasswords ? 'quiet' : 'primary'}
        wide
        aria-disabled={isBusy}
        onClick={() => start.mutate()}
      >
        {isBusy
          ? getText('signIn.signOn.pending')
          : getText('signIn.signOn.submit', { provider: site.signOnLabel })}
      </Button>
      <Callout kind="error">
        {start.data === false
          ? getText('signIn.signOn.blocked')
          : start.error && toErrorMessage(start.error)}
      </Callout>
      <Callout kind="info">{info}</Callout>
    </div>
  );
}
