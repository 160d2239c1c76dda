// Roles: operators make accounts moderators or staff of a class. If the roles of an account change, its open pages show this
// immediately, so that they do not offer rights that have ended. chat/staff/rights.ts says what each role may do.
import type { Feature, Server } from '#server/feature.ts';
import { createRoleNotifier } from './notify-roles.ts';
import { registerRoleRoutes } from './routes.ts';

export function createRoleAdmin({
  db,
  keys,
  hub,
  roles,
  accountRecords,
  config,
}: Pick<Server, 'db' | 'keys' | 'hub' | 'roles' | 'accountRecords' | 'config'>) {
  const notifier = createRoleNotifier(db, keys.personas, hub);
  return {
    noteRead: notifier.noteRead,
    routes: (route) =>
      registerRoleRoutes(route, {
        db,
        personaKey: keys.personas,
        mailKey: keys.mails,
        roles,
        accountRecords,
        settings: { appName: config.appName, origin: config.publicUrl.origin },
      }),
    load: notifier.check,
    async onChange({ kind }) {
      if (kind === 'staff-changed') await notifier.check();
    },
  } satisfies Feature & Record<string, unknown>;
}
