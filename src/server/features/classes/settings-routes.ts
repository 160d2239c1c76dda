// The settings of a class: members read them, and moderators change them.
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { KeyObject } from 'node:crypto';
import { changeSettings, getSettingsWithPins } from '#server/chat/classes/class-settings.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import { checkRight } from '#server/chat/staff/rights.ts';
import type { Database } from '#server/store/tables.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
}

export function registerClassSettingsRoutes(route: Route, dependencies: Dependencies): void {
  const { db, roles } = dependencies;

  route(
    'readClassSettings',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId } }) => {
      await checkMayRead(dependencies, account, classId);
      return getSettingsWithPins(db, classId);
    },
  );

  route(
    'changeClassSettings',
    { access: 'signedIn', rate: 'edits' },
    async ({ commits, account, params, body }) => {
      const { classId } = params;
      const settings = await commits.write(
        async (unitOfWork) => {
          const right = 'changeClassSettings';
          const staffName = await checkRight(unitOfWork.db, roles, account, classId, right);
          return changeSettings(unitOfWork, classId, body, staffName);
        },
        { classId },
      );
      return { settings };
    },
  );
}
