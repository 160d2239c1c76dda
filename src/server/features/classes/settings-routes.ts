// The settings of a class: members read them, and moderators change them.
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import { changeSettings, getSettingsWithPins } from '#server/chat/classes/class-settings.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

export function registerClassSettingsRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'site'>,
): void {
  route('readClassSettings', async ({ account, params: { classId } }) => {
    await checkMayRead(server, account, classId);
    return getSettingsWithPins(server.db, classId);
  });

  route('changeClassSettings', async ({ commits, params: { classId }, body }) => {
    const settings = await commits.write(
      (unitOfWork, staffName) => changeSettings(unitOfWork, classId, body, staffName),
      { classId },
    );
    return { settings };
  });
}
