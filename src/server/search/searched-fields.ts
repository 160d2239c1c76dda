import type { Highlights } from '#contract/search.ts';

/** The texts of a class in which words are looked for. */
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
