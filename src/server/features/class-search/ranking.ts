// Scores: course codes rank first, then names, then other fields.
import { searchedFields, type SearchedField } from './class-terms.ts';

interface Weight {
  wholeWord: number;
  prefix: number;
}

const weights: Record<SearchedField, Weight> = {
  courseName: { wholeWord: 1000, prefix: 600 },
  name: { wholeWord: 1000, prefix: 600 },
  // Lower than a prefix match in a name: 'introduction to a' must not rank CS 46A first.
  subjectAbbreviation: { wholeWord: 650, prefix: 400 },
  courseNumber: { wholeWord: 640, prefix: 300 },
  semesterSeason: { wholeWord: 500, prefix: 300 },
  classSchedule: { wholeWord: 500, prefix: 300 },
  sectionNumber: { wholeWord: 250, prefix: 50 },
};
const wholeWeights = Int32Array.from(searchedFields, (field) => weights[field].wholeWord);
const prefixWeights = Int32Array.from(searchedFields, (field) => weights[field].prefix);

/** The weights by field number. */
export const getFieldWeights = (isWhole: boolean): Int32Array =>
  isWhole ? wholeWeights : prefixWeights;

/** What a class's code is in the query: its subject, its course by the name of the subject, or its course. */
export const codeScores = { subject: 1_000_000, namedCourse: 1_500_000, course: 2_000_000 };

/** The term is the first one of a name. */
export const nameStartBonus = 30;
/** The term follows the previous one, as in the query. */
export const proximityBonus = 60;
/** The query equals the whole name. */
export const wholeNameBonus = 200;
