// The public figures of moderation.
import type { KeyObject } from 'node:crypto';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { Transparency } from './transparency.ts';
import type { Database } from '#server/store/tables.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
  transparency: Transparency;
}

export function registerTransparencyRoutes(route: Route, dependencies: Dependencies): void {
  const { transparency } = dependencies;

  route('readSiteTransparency', () => transparency.getSiteReport());

  route('readClassTransparency', async ({ account, params: { classId } }) => {
    await checkMayRead(dependencies, account, classId);
    return transparency.ofClass(classId);
  });
}
