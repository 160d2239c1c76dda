// Scores: course codes rank first, then names, then other fields. A typo outweighs every field.
import { searchedFields, type SearchedField } from './searched-fields.ts';
import type { CodeMatch } from './course-codes.ts';

interface Worth {
  whole: number;
  beginning: number;
}

const worth: Record<SearchedField, Worth> = {
  courseName: { whole: 1000, beginning: 600 },
  name: { whole: 1000, beginning: 600 },
  // Lower than a prefix match in a name: 'introduction to a' must not rank CS 46A first.
  subjectAbbreviation: { whole: 650, beginning: 400 },
  courseNumber: { whole: 640, beginning: 300 },
  semesterSeason: { whole: 500, beginning: 300 },
  classSchedule: { whole: 500, beginning: 300 },
  sectionNumber: { whole: 250, beginning: 50 },
};
/** Scores by field number. */
const wholeWorth = Int32Array.from(searchedFields, (field) => worth[field].whole);
const beginningWorth = Int32Array.from(searchedFields, (field) => worth[field].beginning);

export const scoresOf = (whole: boolean): Int32Array => (whole ? wholeWorth : beginningWorth);

/** Exceeds the total score of all words of a query. */
export const typoCost = 50_000;

export const codeScore: Record<CodeMatch, number> = {
  subject: 1_000_000,
  course: 2_000_000,
  section: 3_000_000,
};

/** The word is the first word of a name. */
export const nameStartBonus = 30;
/** The word has the same distance to the previous word as in the query. */
export const follows = 60;
/** The class also contains a stop word of the query. */
export const connects = 40;
/** The query equals the whole name. */
export const wholeName = 200;
