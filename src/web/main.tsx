// The entry point: composes providers and routes.
import '#web/replace-blocked-storage.ts';
import { queryClient } from '#web/app/first-requests.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { InterfaceErrors } from '#web/app/interface-errors.ts';
import { PageErrorBoundary } from '#web/app/page-error-boundary.tsx';
import { reloadIfReplaced } from '#web/app/reload-if-replaced.ts';
import { Routing } from '#web/app/routing.tsx';
import { reportCaughtError } from '#web/error-boundary.tsx';
import { createLazyModule } from '#web/lazy-module.ts';
import { keepInstallOffer } from '#web/data/install-prompt.ts';
import { followSettings } from '#web/data/settings.ts';
import { BrowserRouter } from '#web/ui/navigation.tsx';
import { NoticesProvider } from '#web/ui/notices.tsx';
import '#web/ui/tokens.css';
import '#web/ui/base.css';
import '#web/ui/shared.css';
import '#web/ui/print.css';

const translatedText = createLazyModule(() => import('#web/translated-text.ts'));

followSettings();
keepInstallOffer();
// No one translates a page before its first screen.
void translatedText.load().then(() => translatedText.getSnapshot()?.followTranslation(document));
reloadIfReplaced();
const root = document.getElementById('root');
if (root) {
  createRoot(root, { onCaughtError: reportCaughtError }).render(
    <StrictMode>
      <NoticesProvider>
        <InterfaceErrors />
        <PageErrorBoundary>
          <QueryClientProvider client={queryClient}>
            <BrowserRouter>
              <Routing />
            </BrowserRouter>
          </QueryClientProvider>
        </PageErrorBoundary>
      </NoticesProvider>
    </StrictMode>,
  );
}
