// The calls by which operators announce something to everyone, or to a class.
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import { announce, listAnnouncements, withdrawAnnouncement } from './announcements.ts';

export function registerAnnouncementRoutes(route: Route, db: Database): void {
  route('listAnnouncements', async () => ({ announcements: await listAnnouncements(db) }));

  route('announce', async ({ commits, body }) => {
    const { announcementId } = await commits.write(
      (unitOfWork, operatorName) => announce(unitOfWork, body, operatorName),
      'everything',
    );
    return { announcementId };
  });

  route('withdrawAnnouncement', async ({ commits, params }) => {
    await commits.write(
      (unitOfWork, operatorName) =>
        withdrawAnnouncement(unitOfWork, params.announcementId, operatorName),
      'independent',
    );
    return {};
  });
}
