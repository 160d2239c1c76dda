// The settings of a class: members read them, and moderators change them.
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { KeyObject } from 'node:crypto';
import { changeSettings, getSettingsWithPins } from '#server/chat/classes/class-settings.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { Database } from '#server/store/tables.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
}

export function registerClassSettingsRoutes(route: Route, dependencies: Dependencies): void {
  const { db } = dependencies;

  route('readClassSettings', async ({ account, params: { classId } }) => {
    await checkMayRead(dependencies, account, classId);
    return getSettingsWithPins(db, classId);
  });

  route('changeClassSettings', async ({ commits, params: { classId }, body }) => {
    const settings = await commits.write(
      (unitOfWork, staffName) => changeSettings(unitOfWork, classId, body, staffName),
      { classId },
    );
    return { settings };
  });
}
