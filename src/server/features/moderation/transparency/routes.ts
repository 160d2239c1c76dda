// The public figures of moderation.
import type { KeyObject } from 'node:crypto';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { Openness } from './transparency.ts';
import type { Database } from '#server/store/tables.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Route } from '#server/http/route.ts';

interface Parts {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
  openness: Openness;
}

export function opennessRoutes(route: Route, parts: Parts): void {
  const { openness } = parts;

  route('readSiteOpenness', 'public', () => openness.ofSite());

  route(
    'readClassOpenness',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId } }) => {
      await checkMayRead(parts, account, classId);
      return openness.ofClass(classId);
    },
  );
}
