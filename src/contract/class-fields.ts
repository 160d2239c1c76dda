import { isBlank } from './text.ts';

/** CREATE-7 */
export const semesterSeasons = ['Spring', 'Summer', 'Fall', 'Winter'] as const;
export type SemesterSeason = (typeof semesterSeasons)[number];

/** CREATE-8 */
export const weekdays = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

/** The fields of the create form. Times are HH:MM, 24 hours. '' means that nothing is chosen yet. */
export interface ClassFields {
  courseName: string;
  subjectAbbreviation: string;
  courseNumber: string;
  sectionNumber: string;
  semesterSeason: SemesterSeason | '';
  classSchedule: Weekday[];
  beginClassTime: string;
  endClassTime: string;
}

type ClassFieldsError = 'CLASS_INCOMPLETE' | 'CLASS_TIMES';

/** Returns the first rule that the fields break (CREATE-2 to CREATE-6), or null. */
export function findClassFieldsError(fields: ClassFields): ClassFieldsError | null {
  const isScheduled =
    fields.classSchedule.length > 0 && fields.beginClassTime !== '' && fields.endClassTime !== '';
  return isScheduled ? findListedFieldsError(fields) : 'CLASS_INCOMPLETE';
}

/** Returns the first rule that is broken if the class may lack days, times or both (CREATE-22, ADMIN-80). */
export function findListedFieldsError(fields: ClassFields): ClassFieldsError | null {
  const { courseName, subjectAbbreviation, courseNumber, sectionNumber } = fields;
  const { beginClassTime, endClassTime } = fields;
  const isComplete =
    ![courseName, subjectAbbreviation, courseNumber, sectionNumber].some(isBlank) &&
    fields.semesterSeason !== '' &&
    (beginClassTime === '') === (endClassTime === '');
  if (!isComplete) return 'CLASS_INCOMPLETE';
  return beginClassTime !== '' && beginClassTime >= endClassTime ? 'CLASS_TIMES' : null;
}

/** Codes with the same key are the same: `cs 046` and `CS 46` (CREATE-18). */
export function toCodeKey(code: string | null): string {
  return (code ?? '')
    .normalize('NFKC')
    .replaceAll(/[\s.-]+/g, '')
    .replace(/^0+(?=.)/, '')
    .toUpperCase();
}

/** The only search index. */
export const searchIndexName = 'classSearch';
/** The fields that searches filter and count by. Subjects count in upper case, as displayed. */
export const searchFacets = ['subjectAbbreviation', 'semesterSeason', 'classSchedule'] as const;
export type SearchFacet = (typeof searchFacets)[number];
