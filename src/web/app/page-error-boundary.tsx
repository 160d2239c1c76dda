import { type ReactNode, useState } from 'react';
import { canReload } from '#web/data/reload-guard.ts';
import { Button } from '#web/ui/button.tsx';
import { isMissingCode } from '#web/lazy-module.ts';
import { ErrorBoundary } from '#web/error-boundary.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';

const missingCodeText = 'This page could not be shown. Please check your connection and try again.';
const failureText =
  'This page could not be shown because of an error in the app. Please try again.';

/** Replaces a screen that failed, or whose code could not be fetched. */
export function PageErrorBoundary({ children }: { children: ReactNode }) {
  const [hasRetried, setHasRetried] = useState(false);
  const tryAgain = (retry: () => void) => {
    // If a reload would lose typed text, the first retry only renders again.
    if (hasRetried || canReload()) return location.reload();
    setHasRetried(true);
    retry();
  };
  return (
    <ErrorBoundary
      renderFallback={(retry, error) => (
        <PlainPage text={isMissingCode(error) ? missingCodeText : failureText}>
          <Button variant="primary" onClick={() => tryAgain(retry)}>
            Retry
          </Button>
        </PlainPage>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
