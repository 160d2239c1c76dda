// What operators see on /admin: the state of the server in numbers too coarse to tell one person's act, and the classes.
import { z } from 'zod';
import { semesterSeasons } from './class-fields.ts';
import { classSchema } from './entities.ts';
import { limits } from './limits.ts';

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const coarse = z.int().min(0);

export const serverParts = ['disk', 'database', 'mail', 'pictures', 'search', 'backups'] as const;
export type ServerPart = (typeof serverParts)[number];

export const overviewSchema = z.strictObject({
  version: z.string(),
  parts: z.array(
    z.strictObject({
      part: z.enum(serverParts),
      health: z.enum(['good', 'warning', 'failed']),
      /** A fixed sentence, without any name, address or text. */
      explanation: z.string(),
    }),
  ),
  /** Null until it is known. */
  sizes: z.strictObject({
    database: coarse.nullable(),
    pictures: coarse.nullable(),
    free: coarse.nullable(),
  }),
  sockets: coarse,
  /** The last complete days (UTC), oldest first. */
  daily: z.array(z.strictObject({ day, messageTotal: coarse, signUpTotal: coarse })),
  /** Newest first. */
  warnings: z.array(
    z.strictObject({
      event: z.string(),
      day,
      /** Null for an event that no person's act causes. */
      times: coarse.nullable(),
    }),
  ),
});
export type Overview = z.infer<typeof overviewSchema>;

export const termYear = z
  .int('Please enter the year as a number.')
  .min(1990, 'Please enter a year from 1990 on.')
  .max(2199, 'Please enter a year up to 2199.');

export const classSorts = ['label', 'name', 'term', 'members'] as const;
export type ClassSort = (typeof classSorts)[number];

/** Which classes operators list. All conditions apply together. */
export const classListQuery = z.strictObject({
  /** Words of the name or the code, or the class's id. */
  query: z.string().max(limits.searchQuery).optional(),
  status: z.enum(['active', 'ended', 'deleted']).optional(),
  season: z.enum(semesterSeasons).optional(),
  year: z.coerce.number().pipe(termYear).optional(),
  sort: z.enum(classSorts).default('label'),
  order: z.enum(['ascending', 'descending']).default('ascending'),
  page: z.coerce.number().int().min(0).max(100_000).default(0),
});
export type ClassListQuery = z.infer<typeof classListQuery>;

/** A class as operators see it. It has no day of creation, which is the day on which its creator joined. */
export const listedClassSchema = classSchema.extend({
  year: z.int().nullable(),
  /** The last day (UTC) on which the deleted class can be restored; null if it is not deleted. */
  restorableUntil: day.nullable(),
  /** The last day (UTC) on which the ended class can be reopened; null if it is active or its links are removed. */
  reopenableUntil: day.nullable(),
});
export type ListedClass = z.infer<typeof listedClassSchema>;

/** A season with its year, and how many of its classes have not ended. */
export const termSchema = z.strictObject({
  semesterSeason: z.enum(semesterSeasons),
  year: z.int(),
  activeTotal: z.int().min(1),
});
export type Term = z.infer<typeof termSchema>;

/** One account as operators see it: nothing of its classes, personas or messages. */
export const supportedAccountSchema = z.strictObject({
  /** Its own spelling, which can differ from the one that was searched for. */
  accountAddress: z.string(),
  verified: z.boolean(),
  joiningDay: day,
  signsInWith: z.array(z.enum(['password', 'provider'])),
  /** As the account itself lists them. */
  signedInOn: z.array(z.strictObject({ deviceName: z.string(), signInDay: day })),
});
export type SupportedAccount = z.infer<typeof supportedAccountSchema>;

/** What an import does, or would do, with one line. */
const importOutcomes = ['new', 'changed', 'same', 'ambiguous'] as const;
export const importedLineSchema = z.strictObject({
  line: z.int().min(1),
  outcome: z.enum(importOutcomes),
  /** The fields that change, with their values before. */
  changes: z.array(z.strictObject({ field: z.string(), before: z.string(), after: z.string() })),
});
export type ImportedLine = z.infer<typeof importedLineSchema>;

/** A setting as the server started with it. A secret has no value here, only whether it is set. */
export const settingInForceSchema = z.strictObject({
  setting: z.string(),
  settingValue: z.string(),
  source: z.enum(['default', 'environment', 'file']),
});
export type SettingInForce = z.infer<typeof settingInForceSchema>;
