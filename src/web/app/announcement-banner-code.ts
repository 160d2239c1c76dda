import { createPreloadedModule } from '#web/lazy-module.ts';

/** The first screen loads the banner if this browser knows announcements, and otherwise the first one that arrives does. */
export const announcementBanner = createPreloadedModule(
  () => import('#web/features/announcements/announcement-banner.tsx'),
);
