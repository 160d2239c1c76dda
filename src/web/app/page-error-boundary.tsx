import { type ReactNode, useState } from 'react';
import { canReload } from '#web/data/reload-guard.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorBoundary } from '#web/error-boundary.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';

/** Replaces a screen that failed. The most common cause is a screen whose code could not be fetched. */
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
      renderFallback={(retry) => (
        <PlainPage text="This page could not be shown. Please check your connection and try again.">
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
