// The public figures of moderation.
import type { KeyObject } from 'node:crypto';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { Transparency } from './transparency.ts';
import type { Database } from '#server/store/tables.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Route } from '#server/http/route.ts';

interface Parts {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
  transparency: Transparency;
}

export function transparencyRoutes(route: Route, parts: Parts): void {
  const { transparency } = parts;

  route('readSiteTransparency', 'public', () => transparency.ofSite());

  route(
    'readClassTransparency',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId } }) => {
      await checkMayRead(parts, account, classId);
      return transparency.ofClass(classId);
    },
  );
}
