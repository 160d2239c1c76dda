// Roles: operators make accounts moderators or staff of a class. If the roles of an account change, its open pages show this
// immediately, so that they do not offer rights that have ended. chat/staff/rights.ts says what each role may do.
import type { Feature, Server } from '#server/feature.ts';
import { createRoleNotifier } from './notify-roles.ts';
import { registerRoleRoutes } from './routes.ts';

export function createRoleAdmin(
  server: Pick<Server, 'config' | 'db' | 'site' | 'accountRecords' | 'hub'>,
) {
  const notifier = createRoleNotifier(server, server.hub);
  return {
    noteRead: notifier.noteRead,
    routes: (route) => registerRoleRoutes(route, server),
    load: notifier.check,
    async onChange({ kind }) {
      if (kind === 'staff-changed') await notifier.check();
    },
  } satisfies Feature & Record<string, unknown>;
}
