// Announcements of operators: a banner for everyone who is signed in, or for the members of one class.
import { z } from 'zod';
import { emptySchema } from './call-fields.ts';
import { randomId } from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';
import { isPlainText } from './text.ts';

/** The domain trims the text and checks the end. */
export const announcementBody = z.strictObject({
  /** Null for everyone. */
  classId: randomId.nullable(),
  text: z
    .string('The text must be text.')
    .max(limits.announcementText, 'ANNOUNCEMENT_TOO_LONG' satisfies ErrorReason)
    .refine(isPlainText, 'TEXT_CHARACTERS' satisfies ErrorReason),
  /** Milliseconds since 1970. */
  endsAt: z.int('ANNOUNCEMENT_TIME' satisfies ErrorReason),
});
export type AnnouncementBody = z.infer<typeof announcementBody>;

/** An announcement as browsers get it. Nothing here tells who wrote it, or when. */
export const shownAnnouncement = z.strictObject({
  announcementId: randomId,
  text: z.string(),
  /** The remaining time when the frame was sent, because the clock of a browser may be wrong. */
  endsInMs: z.int().min(0),
  /** Until the end, members can read and not write. */
  isMaintenance: z.literal(true).optional(),
});
export type ShownAnnouncement = z.infer<typeof shownAnnouncement>;

/** Newest first. */
export const shownAnnouncements = z.array(shownAnnouncement).max(limits.announcementsInForce);

/** An announcement as operators see it. */
export const listedAnnouncement = z.strictObject({
  announcementId: randomId,
  classId: randomId.nullable(),
  /** The label of the class; null for everyone. */
  label: z.string().nullable(),
  text: z.string(),
  /** Rounded down to the minute, like the entry of the audit log. */
  announcedAt: z.int(),
  /** The planned end, also if the announcement was withdrawn. */
  endsAt: z.int(),
  phase: z.enum(['shown', 'ended', 'withdrawn']),
});
export type ListedAnnouncement = z.infer<typeof listedAnnouncement>;

export const announcementCalls = {
  listAnnouncements: {
    route: 'GET /api/admin/announcements',
    who: 'operator',
    reply: z.strictObject({
      /** Announcements in force come first, then the newest. */
      announcements: z.array(listedAnnouncement).max(limits.listedAnnouncements),
    }),
  },
  announce: {
    route: 'POST /api/admin/announcements',
    who: 'operator',
    factor: 'duty',
    body: announcementBody,
    reply: z.strictObject({ announcementId: randomId }),
  },
  withdrawAnnouncement: {
    route: 'DELETE /api/admin/announcements/:announcementId',
    who: 'operator',
    params: z.strictObject({ announcementId: randomId }),
    reply: emptySchema,
  },
} as const;
