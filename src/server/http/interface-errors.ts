import type { WorkCounter } from '#server/base/metrics.ts';
import type { Route } from './route.ts';

/** Counts the exceptions of pages. The public call says neither whose page it was nor what failed. */
export function registerInterfaceErrorRoutes(
  route: Route,
  metrics: Pick<WorkCounter, 'count'>,
): void {
  route('countInterfaceError', async () => {
    metrics.count('interfaceErrors', 'page');
    return {};
  });
}
