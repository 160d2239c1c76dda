// The public figures of moderation.
import type { Transparency } from './transparency.ts';
import type { Server } from '#server/feature.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Route } from '#server/http/route.ts';

export function registerTransparencyRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'site'>,
  transparency: Transparency,
): void {
  route('readSiteTransparency', () => transparency.getSiteReport());

  route('readClassTransparency', async ({ account, params: { classId } }) => {
    await checkMayRead(server, account, classId);
    return transparency.ofClass(classId);
  });
}
