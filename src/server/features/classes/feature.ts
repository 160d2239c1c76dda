// Classes as a member uses them: create, join, leave, read back, choose a persona, keep preferences, and the settings by
// which moderators restrict a class. It has only the calls: the rules are in the chat, because the commit of a message
// reads or writes what they change.
import type { Feature, Server } from '#server/feature.ts';
import { registerPreferenceRoutes } from './preference-routes.ts';
import { registerClassRoutes } from './routes.ts';
import { registerClassSettingsRoutes } from './settings-routes.ts';

export function createClasses(
  server: Pick<Server, 'config' | 'db' | 'site' | 'hub' | 'memberships' | 'preferences'>,
): Feature {
  return {
    routes(route) {
      registerClassRoutes(route, server);
      registerPreferenceRoutes(route, server);
      registerClassSettingsRoutes(route, server);
    },
  };
}
