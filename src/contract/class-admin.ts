// Classes as operators list, edit, import, merge and end them.
import { z } from 'zod';
import { day, emptySchema, classParams } from './call-fields.ts';
import { semesterSeasons } from './class-fields.ts';
import { newClassSchema } from './classes.ts';
import { classSchema, randomId } from './entities.ts';
import { limits } from './limits.ts';

const ofKeptClass = z.strictObject({ keptClassId: randomId });

export const termYear = z
  .int('Please enter the year as a number.')
  .min(1990, 'Please enter a year from 1990 on.')
  .max(2199, 'Please enter a year up to 2199.');

export const classSorts = ['label', 'name', 'term', 'members'] as const;
export type ClassSort = (typeof classSorts)[number];

/** Which classes operators list. All conditions apply together. */
export const classListQuery = z.strictObject({
  /** Words of the name or the code, or the class's id. */
  query: z.string().max(limits.searchQuery, 'Please type fewer words.').optional(),
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

/** The classes of a term that ended on the same day, while they can be reopened. Merged duplicates do not count. */
export const endedTermSchema = z.strictObject({
  semesterSeason: z.enum(semesterSeasons),
  year: z.int(),
  /** The last day (UTC) on which they can be reopened. */
  reopenableUntil: day,
  endedTotal: z.int().min(1),
});
export type EndedTerm = z.infer<typeof endedTermSchema>;

/** What an import does, or would do, with one line. */
const importOutcomes = ['new', 'changed', 'same', 'ambiguous'] as const;
export const importedLineSchema = z.strictObject({
  line: z.int().min(1),
  outcome: z.enum(importOutcomes),
  /** The fields that change, with their values before. */
  changes: z.array(z.strictObject({ field: z.string(), before: z.string(), after: z.string() })),
});
export type ImportedLine = z.infer<typeof importedLineSchema>;

export const classAdminCalls = {
  listAllClasses: {
    route: 'GET /api/admin/classes',
    who: 'operator',
    query: classListQuery,
    reply: z.strictObject({
      classes: z.array(listedClassSchema).max(limits.listedClasses),
      /** The number of classes on all pages. */
      total: z.int().min(0),
      /** All terms with a class that has not ended, newest first. */
      terms: z.array(termSchema),
      /** The last end first. */
      endedTerms: z.array(endedTermSchema),
      /** The number of days for which an ended class can be reopened. */
      reopenDays: z.int().min(0),
    }),
  },
  editClass: {
    route: 'PATCH /api/admin/classes/:classId',
    who: 'operator',
    params: classParams,
    body: newClassSchema.extend({ year: termYear }),
    reply: z.strictObject({ class: listedClassSchema }),
  },
  endClass: {
    route: 'POST /api/admin/classes/:classId/end',
    who: 'operator',
    factor: 'duty',
    params: classParams,
    reply: emptySchema,
  },
  reopenClass: {
    route: 'POST /api/admin/classes/:classId/reopen',
    who: 'operator',
    params: classParams,
    reply: emptySchema,
  },
  deleteClass: {
    route: 'DELETE /api/admin/classes/:classId',
    who: 'operator',
    factor: 'duty',
    params: classParams,
    reply: emptySchema,
  },
  restoreClass: {
    route: 'POST /api/admin/classes/:classId/restore',
    who: 'operator',
    params: classParams,
    reply: emptySchema,
  },
  previewMerge: {
    route: 'GET /api/admin/classes/:classId/merge',
    who: 'operator',
    params: classParams,
    query: ofKeptClass,
    reply: z.strictObject({
      /** Whether the members join the class that stays. */
      isEnrolling: z.boolean(),
      /** Roles in the duplicate. They end with it. */
      roleTotal: z.int().min(0),
    }),
  },
  /** Enrolls the members of the duplicate in the class that stays, and ends the duplicate. */
  mergeClass: {
    route: 'POST /api/admin/classes/:classId/merge',
    who: 'operator',
    factor: 'duty',
    params: classParams,
    body: ofKeptClass,
    reply: emptySchema,
  },
  /** A dry run, or the import, of some lines. A line that was imported before changes nothing. */
  importClasses: {
    route: 'POST /api/admin/imports',
    who: 'operator',
    body: z.strictObject({
      apply: z.boolean(),
      lines: z
        .array(
          z.strictObject({
            line: z.int().min(1),
            fields: newClassSchema.extend({
              semesterSeason: z.enum(semesterSeasons),
              year: termYear,
            }),
          }),
        )
        .min(1)
        .max(limits.importBatch),
    }),
    reply: z.strictObject({ lines: z.array(importedLineSchema).max(limits.importBatch) }),
  },
  /** Ends some classes of the term. Call it again until none remains. */
  endTerm: {
    route: 'POST /api/admin/terms/end',
    who: 'operator',
    factor: 'duty',
    body: z.strictObject({ semesterSeason: z.enum(semesterSeasons), year: termYear }),
    reply: z.strictObject({
      endedTotal: z.int().min(0).max(limits.classBatch),
      remaining: z.int().min(0),
    }),
  },
  /** Reopens some of the classes that ended together. Call it again until none remains. */
  reopenTerm: {
    route: 'POST /api/admin/terms/reopen',
    who: 'operator',
    body: endedTermSchema.omit({ endedTotal: true }).extend({ year: termYear }),
    reply: z.strictObject({
      reopenedTotal: z.int().min(0).max(limits.classBatch),
      remaining: z.int().min(0),
    }),
  },
} as const;
