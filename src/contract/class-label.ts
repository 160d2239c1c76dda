import type { Class } from './entities.ts';
import { compareText } from './text-order.ts';

type NameFields = Pick<Class, 'subjectAbbreviation' | 'courseNumber' | 'courseName' | 'name'>;

/** The label of a class that has neither a subject, a number nor a name. */
const unnamedLabel = 'Unnamed class';

/** The upper-case subject and number (`CS 146`), or the upper-case course name if those are missing. */
export function toClassLabel(listedClass: NameFields): string {
  const code = [listedClass.subjectAbbreviation, listedClass.courseNumber]
    .filter((part) => part?.trim())
    .join(' ');
  const hasCode = listedClass.subjectAbbreviation?.trim() && listedClass.courseNumber?.trim();
  return (
    hasCode
      ? code
      : listedClass.courseName?.trim() || listedClass.name?.trim() || code || unnamedLabel
  ).toUpperCase();
}

/** Sorts the class list by subject abbreviation, then number, then name. Digits compare as numbers. */
export function compareClasses(a: NameFields, b: NameFields): number {
  const order = (x: string | null, y: string | null) => compareText(x ?? '', y ?? '');
  return (
    order(a.subjectAbbreviation, b.subjectAbbreviation) ||
    order(a.courseNumber, b.courseNumber) ||
    order(a.courseName ?? a.name, b.courseName ?? b.name)
  );
}
