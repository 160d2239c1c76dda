// What moderation tells about itself: figures without names, and the history of the setting UNMASKING.
import { z } from 'zod';
import { day, classParams } from './call-fields.ts';

/** The figures of the whole site. The actions that count for each are in features/moderation/transparency/transparency.ts. */
export const siteFigures = [
  'reports',
  'removedMessages',
  'mutes',
  'removals',
  'suspensions',
  'unmaskings',
] as const;
export type SiteFigure = (typeof siteFigures)[number];

/** The figures of one class. */
export const classFigures = ['removedMessages', 'mutedMembers', 'removedMembers'] as const;
export type ClassFigure = (typeof classFigures)[number];

const count = z.int().min(0);

export const unmaskingSettingSchema = z.strictObject({
  on: z.boolean(),
  /** The day since which unmasking is on; null if it is off. */
  since: day.nullable(),
});
export type UnmaskingSetting = z.infer<typeof unmaskingSettingSchema>;

/** The counts end with the last complete day, so that they tell no moment. */
const siteTransparencySchema = z.strictObject({
  figures: z.array(z.strictObject({ figure: z.enum(siteFigures), recent: count, total: count })),
  /** The last day that counts (UTC). `recent` covers 30 days. */
  through: day,
  unmasking: unmaskingSettingSchema,
});

const classTransparencySchema = z.strictObject({
  figures: z.array(z.strictObject({ figure: z.enum(classFigures), recent: count })),
  through: day,
  unmasking: unmaskingSettingSchema,
});

export const transparencyCalls = {
  readSiteTransparency: {
    route: 'GET /api/openness',
    who: 'anyone',
    reply: siteTransparencySchema,
  },
  readClassTransparency: {
    route: 'GET /api/classes/:classId/openness',
    who: 'reader',
    limit: 'historyPages',
    params: classParams,
    reply: classTransparencySchema,
  },
} as const;
