// The calls by which operators announce something to everyone, or to a class.
import type { Operators } from '#server/chat/staff/operators.ts';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import { announce, listAnnouncements, withdrawAnnouncement } from './announcements.ts';

interface Dependencies {
  db: Database;
  operators: Operators;
}

export function registerAnnouncementRoutes(route: Route, { db, operators }: Dependencies): void {
  route('listAnnouncements', 'signedIn', async ({ account }) => {
    await operators.check(db, account);
    return { announcements: await listAnnouncements(db) };
  });

  route('announce', 'signedIn', async ({ commits, account, body }) => {
    const { announcementId } = await operators.act(
      commits,
      account,
      'everything',
      (unitOfWork, operatorName) => announce(unitOfWork, body, operatorName),
    );
    return { announcementId };
  });

  route('withdrawAnnouncement', 'signedIn', async ({ commits, account, params }) => {
    await operators.act(commits, account, 'independent', (unitOfWork, operatorName) =>
      withdrawAnnouncement(unitOfWork, params.announcementId, operatorName),
    );
    return {};
  });
}
