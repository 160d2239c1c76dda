// Matches course codes however they are written: 'cs146', 'CS 146' and 'cs 146 02' are one course.
import type { Class } from '#contract/entities.ts';
import { toTerms } from '#server/base/tokenizer.ts';

/** How much of a class's code the query matches. */
export type CodeMatch = 'subject' | 'course' | 'section';

export interface CourseCodes {
  add(doc: number, indexedClass: Class): void;
  remove(doc: number, indexedClass: Class): void;
  /** Calls `found` for each class whose code occurs in these words. */
  visitMatches(words: readonly string[], onMatch: (doc: number, match: CodeMatch) => void): void;
  /** How classes spell the subject, in lower case: 'cs' and 'c s' are one. Empty if no class has it. */
  listSpellings(squeezedSubject: string): readonly string[];
  hasCourse(squeezedSubject: string, squeezedNumber: string): boolean;
}

const maxSubjectWords = 3;
const maxNumberWords = 4;

export function createCourseCodes(): CourseCodes {
  const subjects = new Map<string, Set<number>>();
  /** Subject → spelling with spaces → number of classes with it. */
  const spacedSpellings = new Map<string, Map<string, number>>();
  /** Subject → course number → docs with their sections. */
  const courses = new Map<string, Map<number, string>>();

  function visitCourses(
    words: readonly string[],
    from: number,
    onMatch: (doc: number, match: CodeMatch) => void,
  ): void {
    for (let number = from + 1; number <= from + maxSubjectWords; number++) {
      const subject = words.slice(from, number).join('');
      if (!subjects.has(subject)) continue;
      for (let end = number + 1; end <= number + maxNumberWords; end++) {
        if (end > words.length) break;
        const course = courses.get(`${subject} ${words.slice(number, end).join('')}`);
        course?.forEach((section, doc) => {
          const rest = words.slice(end, end + maxNumberWords);
          const named = rest.some((_, i) => rest.slice(0, i + 1).join('') === section);
          onMatch(doc, named ? 'section' : 'course');
        });
      }
    }
  }

  function countSpelling(subject: string, indexedClass: Class, change: 1 | -1): void {
    const words = toTerms(indexedClass.subjectAbbreviation ?? '');
    if (words.length < 2) return;
    const spelling = words.join(' ');
    const counts = spacedSpellings.get(subject) ?? new Map<string, number>();
    const count = (counts.get(spelling) ?? 0) + change;
    if (count > 0) counts.set(spelling, count);
    else counts.delete(spelling);
    if (counts.size > 0) spacedSpellings.set(subject, counts);
    else spacedSpellings.delete(subject);
  }

  return {
    add(doc, indexedClass) {
      const { subject, course, section } = toClassCode(indexedClass);
      if (subject === '') return;
      countSpelling(subject, indexedClass, 1);
      const inSubject = subjects.get(subject) ?? new Set();
      subjects.set(subject, inSubject.add(doc));
      const inCourse = courses.get(course) ?? new Map<number, string>();
      courses.set(course, inCourse.set(doc, section));
    },
    remove(doc, indexedClass) {
      const { subject, course } = toClassCode(indexedClass);
      if (subject === '') return;
      countSpelling(subject, indexedClass, -1);
      subjects.get(subject)?.delete(doc);
      if (subjects.get(subject)?.size === 0) subjects.delete(subject);
      courses.get(course)?.delete(doc);
      if (courses.get(course)?.size === 0) courses.delete(course);
    },
    visitMatches(words, onMatch) {
      for (const doc of subjects.get(words.join('')) ?? []) onMatch(doc, 'subject');
      for (let from = 0; from < words.length - 1; from++) visitCourses(words, from, onMatch);
    },
    listSpellings(subject) {
      const size = subjects.get(subject)?.size ?? 0;
      const spaced = [...(spacedSpellings.get(subject) ?? [])];
      const inSpaced = spaced.reduce((sum, [, count]) => sum + count, 0);
      const spellings = spaced.map(([spelling]) => spelling);
      return size > inSpaced ? [subject, ...spellings] : spellings;
    },
    hasCourse: (subject, number) => courses.has(`${subject} ${number}`),
  };
}

function toClassCode(indexedClass: Class): { subject: string; course: string; section: string } {
  const squeeze = (text: string | null) => toTerms(text ?? '').join('');
  const subject = squeeze(indexedClass.subjectAbbreviation);
  const course = `${subject} ${squeeze(indexedClass.courseNumber)}`;
  return { subject, course, section: squeeze(indexedClass.sectionNumber) };
}

const letters = ' abcdefghijklmnopqrstuvwxyz0123456789';

/** A sort key for course codes: up to four letters, the number and the section. */
export function toCodeSortKey({ subjectAbbreviation, courseNumber, sectionNumber }: Class): number {
  let order = 0;
  const subject = (subjectAbbreviation ?? '').toLowerCase().padEnd(4);
  for (const letter of subject.slice(0, 4)) {
    const place = letters.indexOf(letter);
    order = order * 40 + (place < 0 ? 39 : place);
  }
  order = order * 10_000 + parseLeadingNumber(courseNumber, 9999);
  return order * 1000 + parseLeadingNumber(sectionNumber, 999);
}

function parseLeadingNumber(text: string | null, max: number): number {
  return Math.min(Number(/\d+/.exec(text ?? '')?.[0] ?? 0), max);
}
