// Roles: operators make accounts moderators or staff of a class. Open pages of an account show its new roles
// immediately, because rights that have ended must not look as if they were still there. What a role may do is in
// chat/staff/rights.ts.
import type { Feature, Server } from '#server/feature.ts';
import { createRoleNotifier } from './notify-roles.ts';
import { registerRoleRoutes } from './routes.ts';

export function createRoleAdmin({
  db,
  keys,
  hub,
  roles,
}: Pick<Server, 'db' | 'keys' | 'hub' | 'roles'>) {
  const notifier = createRoleNotifier(db, hub);
  return {
    noteRead: notifier.noteRead,
    routes: (route) => registerRoleRoutes(route, { db, personaKey: keys.personas, roles }),
    load: notifier.check,
    async onChange({ kind }) {
      if (kind === 'staff-changed') await notifier.check();
    },
  } satisfies Feature & Record<string, unknown>;
}
