// Matches course codes however they are written: 'cs146', 'CS 146' and 'cs 146 02' are one course.
import type { Class } from '#contract/entities.ts';
import { wordTextsOf } from './words.ts';

/** How much of a class's code the query matches. */
export type CodeMatch = 'subject' | 'course' | 'section';

export interface CourseCodes {
  add(slot: number, one: Class): void;
  remove(slot: number, one: Class): void;
  /** Calls `found` for each class whose code occurs in these words. */
  eachMatch(words: readonly string[], found: (slot: number, match: CodeMatch) => void): void;
}

const maxSubjectWords = 3;
const maxNumberWords = 4;

export function createCourseCodes(): CourseCodes {
  const subjects = new Map<string, Set<number>>();
  /** Subject → course number → slots with their sections. */
  const courses = new Map<string, Map<number, string>>();

  function eachCourse(
    words: readonly string[],
    from: number,
    found: (slot: number, match: CodeMatch) => void,
  ): void {
    for (let number = from + 1; number <= from + maxSubjectWords; number++) {
      const subject = words.slice(from, number).join('');
      if (!subjects.has(subject)) continue;
      for (let end = number + 1; end <= number + maxNumberWords; end++) {
        if (end > words.length) break;
        const course = courses.get(`${subject} ${words.slice(number, end).join('')}`);
        course?.forEach((section, slot) => {
          const rest = words.slice(end, end + maxNumberWords);
          const named = rest.some((_, i) => rest.slice(0, i + 1).join('') === section);
          found(slot, named ? 'section' : 'course');
        });
      }
    }
  }

  return {
    add(slot, one) {
      const { subject, course, section } = codeOf(one);
      if (subject === '') return;
      const inSubject = subjects.get(subject) ?? new Set();
      subjects.set(subject, inSubject.add(slot));
      const inCourse = courses.get(course) ?? new Map<number, string>();
      courses.set(course, inCourse.set(slot, section));
    },
    remove(slot, one) {
      const { subject, course } = codeOf(one);
      subjects.get(subject)?.delete(slot);
      if (subjects.get(subject)?.size === 0) subjects.delete(subject);
      courses.get(course)?.delete(slot);
      if (courses.get(course)?.size === 0) courses.delete(course);
    },
    eachMatch(words, found) {
      for (const slot of subjects.get(words.join('')) ?? []) found(slot, 'subject');
      for (let from = 0; from < words.length - 1; from++) eachCourse(words, from, found);
    },
  };
}

function codeOf(one: Class): { subject: string; course: string; section: string } {
  const together = (text: string | null) => wordTextsOf(text ?? '').join('');
  const subject = together(one.subjectAbbreviation);
  const course = `${subject} ${together(one.courseNumber)}`;
  return { subject, course, section: together(one.sectionNumber) };
}
