import type { Highlights } from '#contract/search.ts';

/** The text fields of a class that a search looks in. */
export const searchedFields = [
  'courseName',
  'name',
  'subjectAbbreviation',
  'courseNumber',
  'sectionNumber',
  'semesterSeason',
  'classSchedule',
] as const satisfies readonly (keyof Highlights)[];

export type SearchedField = (typeof searchedFields)[number];
