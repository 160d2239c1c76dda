// Announcements: operators show a banner to everyone who is signed in, or to the members of one class. Open pages get each
// change over their socket within seconds, on all nodes, because each server follows the change event. If browsers asked again
// and again, twenty thousand of them would make ten thousand calls a second. Members do not learn who wrote an announcement.
import type { Feature, Server } from '#server/feature.ts';
import { createLiveAnnouncements } from './live-announcements.ts';
import { registerAnnouncementRoutes } from './routes.ts';

export function createAnnouncements({ db, hub }: Pick<Server, 'db' | 'hub'>) {
  const announcements = createLiveAnnouncements(db, hub);
  return {
    current: announcements.current,
    isMaintenance: announcements.isMaintenance,
    routes: (route) => registerAnnouncementRoutes(route, db),
    load: announcements.load,
    async onChange({ kind }) {
      if (kind === 'announcements-changed') await announcements.load();
    },
    stop: announcements.stop,
  } satisfies Feature & Record<string, unknown>;
}
