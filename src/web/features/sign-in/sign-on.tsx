import { lazy, Suspense } from 'react';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';

/** Loads only where the university's provider signs in. */
const SignOnButton = lazy(() =>
  import('./sign-on-button.tsx').then((module) => ({ default: module.SignOnButton })),
);

interface Props {
  /** The page that asked for the sign-in. */
  from: unknown;
  info: string | null;
}

/** The button of the university's provider, on the pages that sign in and sign up: its first sign-in makes the account. */
export function SignOn(props: Props) {
  if (!site.signOnLabel) return null;
  return (
    <Suspense
      fallback={
        // It keeps the place, so that the form below does not move.
        <Button variant={site.hasPasswords ? 'quiet' : 'primary'} wide aria-disabled="true">
          Sign in with {site.signOnLabel}
        </Button>
      }
    >
      <SignOnButton {...props} />
    </Suspense>
  );
}
