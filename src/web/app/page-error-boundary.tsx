import { type ReactNode, useState } from 'react';
import { canReload } from '#web/data/reload-guard.ts';
import { Button } from '#web/ui/button.tsx';
import { isMissingCode } from '#web/lazy-module.ts';
import { ErrorBoundary } from '#web/error-boundary.tsx';
import { getText } from '#web/get-text.ts';
import { PlainPage } from '#web/ui/plain-page.tsx';

const missingCodeText = getText('app.pageError.notLoaded');
const failureText = getText('app.pageError.failed');

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
            {getText('common.retry')}
          </Button>
        </PlainPage>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
