// Composes the app: providers, routes and layout. May import everything under src/web.
import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { createQueryClient } from '#web/data/query-client.ts';
import { ErrorBoundary } from '#web/app/error-boundary.tsx';
import { Routing } from '#web/app/routing.tsx';
import { NoticesProvider } from '#web/ui/notices.tsx';

const queryClient = createQueryClient();

export function App() {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <NoticesProvider>
          <BrowserRouter>
            <Routing />
          </BrowserRouter>
        </NoticesProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
