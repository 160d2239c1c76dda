// The public figures of moderation.
import type { KeyObject } from 'node:crypto';
import type { Roles } from '../domain/moderation/roles.ts';
import type { Openness } from '../domain/openness.ts';
import type { Database } from '../storage/database.ts';
import { checkMayRead } from './class-settings.ts';
import type { Route } from './route.ts';

interface Parts {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
  openness: Openness;
}

export function opennessRoutes(route: Route, parts: Parts): void {
  const { openness } = parts;

  route('readSiteOpenness', 'public', () => openness.ofSite());

  route('readClassOpenness', 'signedIn', async ({ account, params: { classId } }) => {
    await checkMayRead(parts, account, classId);
    return openness.ofClass(classId);
  });
}
