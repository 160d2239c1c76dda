// The calls of announcements.
import type { announcementCalls as contract } from '#contract/announcements.ts';
import type { FactsOf } from './facts.ts';

export const announcementCalls = {
  listAnnouncements: {},
  announce: {
    body: ({ classId }) => ({
      classId,
      text: 'The server restarts at six.',
      endsAt: Date.now() + 3_600_000,
    }),
    cost: { rowsWritten: 8, kilobytesWritten: 4 },
  },
  withdrawAnnouncement: {
    outcome: 'NOT_FOUND',
    order: 'late',
    prepare: ({ otto, classId }) =>
      otto.call('announce', { body: { classId, text: 'Later', endsAt: Date.now() + 3_600_000 } }),
    cost: { rowsRead: 14, rowsWritten: 8 },
  },
} satisfies FactsOf<typeof contract>;
