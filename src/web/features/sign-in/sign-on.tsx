import { lazy, Suspense } from 'react';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';

/** Loaded only on sites that have a university's provider. */
const SignOnButton = lazy(() =>
  import('./sign-on-button.tsx').then((module) => ({ default: module.SignOnButton })),
);

interface Props {
  /** The page that asked for the sign-in. */
  requestedPath: unknown;
  info: string | null;
}

/** Signs in with the university's provider. The first sign-in creates the account, so sign-up shows the button, too. */
export function SignOn(props: Props) {
  if (!site.signOnLabel) return null;
  return (
    <Suspense
      fallback={
        // A placeholder, so that the form below does not move.
        <Button variant={site.hasPasswords ? 'quiet' : 'primary'} wide aria-disabled="true">
          {getText('signIn.signOn.submit', { provider: site.signOnLabel })}
        </Button>
      }
    >
      <SignOnButton {...props} />
    </Suspense>
  );
}
