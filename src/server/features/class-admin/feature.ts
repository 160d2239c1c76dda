// Administration of classes: operators edit, import, merge, end, reopen and delete them. Terms also end on the dates of
// TERM_ENDS, because no operator remembers to end hundreds of classes in time. endings/scheduled-removals.ts erases what must be
// gone some days after an end or a deletion.
import type { Feature, Server } from '#server/feature.ts';
import { registerClassAdminRoutes } from './routes.ts';
import { startScheduledTermEnds } from './scheduled-term-ends.ts';

export function createClassAdmin(
  server: Pick<Server, 'config' | 'db' | 'site' | 'commits' | 'lease' | 'log'>,
): Feature {
  return {
    routes: (route) => registerClassAdminRoutes(route, server),
    start: () => startScheduledTermEnds(server),
  };
}
