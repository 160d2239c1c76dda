import { semesterSeasons, weekdays } from '#contract/class-fields.ts';

/** What results can be narrowed by, in the order of the screen. */
export const classFilters = [
  { attribute: 'subjectAbbreviation', name: 'Subject', param: 'subject', fixed: null },
  { attribute: 'semesterSeason', name: 'Season', param: 'season', fixed: semesterSeasons },
  { attribute: 'classSchedule', name: 'Day', param: 'day', fixed: weekdays },
] as const satisfies readonly {
  attribute: string;
  name: string;
  /** In the URL. */
  param: string;
  /** All that there can be, in order; null where that depends on the classes. */
  fixed: readonly string[] | null;
}[];

export type ClassFilter = (typeof classFilters)[number];
