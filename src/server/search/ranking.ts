// What comes first: the code that was typed, then names, then other fields; a typing mistake outweighs a field.
import { searchedFields, type SearchedField } from './searched-fields.ts';
import type { CodeMatch } from './course-codes.ts';

interface Worth {
  whole: number;
  beginning: number;
}

const worth: Record<SearchedField, Worth> = {
  courseName: { whole: 1000, beginning: 600 },
  name: { whole: 1000, beginning: 600 },
  // Less than a beginning that goes on where a name was: 'introduction to a' is not CS 46A.
  subjectAbbreviation: { whole: 650, beginning: 400 },
  courseNumber: { whole: 640, beginning: 300 },
  semesterSeason: { whole: 500, beginning: 300 },
  classSchedule: { whole: 500, beginning: 300 },
  sectionNumber: { whole: 250, beginning: 50 },
};
/** By the number of the field. */
const wholeWorth = Int32Array.from(searchedFields, (field) => worth[field].whole);
const beginningWorth = Int32Array.from(searchedFields, (field) => worth[field].beginning);

export const scoresOf = (whole: boolean): Int32Array => (whole ? wholeWorth : beginningWorth);

/** More than all words of a query are worth. */
export const typoCost = 50_000;

export const codeScore: Record<CodeMatch, number> = {
  subject: 1_000_000,
  course: 2_000_000,
  section: 3_000_000,
};

/** The word is the first of the name. */
export const nameStartBonus = 30;
/** The word stands where it does in the query after the one before. */
export const follows = 60;
/** A connecting word of the query is there as well. */
export const connects = 40;
/** The query is the whole name. */
export const wholeName = 200;
