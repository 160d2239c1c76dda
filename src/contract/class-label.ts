import type { Class } from './entities.ts';
import { compareText } from './text-order.ts';

type Named = Pick<Class, 'subjectAbbreviation' | 'courseNumber' | 'courseName' | 'name'>;

/** The label of a class without any of the names. */
const unnamed = 'Unnamed class';

/** The upper-case subject and number (`CS 146`), or the upper-case course name if those are missing. */
export function toClassLabel(of: Named): string {
  const code = [of.subjectAbbreviation, of.courseNumber].filter((part) => part?.trim()).join(' ');
  const complete = of.subjectAbbreviation?.trim() && of.courseNumber?.trim();
  return (
    complete ? code : of.courseName?.trim() || of.name?.trim() || code || unnamed
  ).toUpperCase();
}

/** Sorts the class list by subject abbreviation, then number, then name. Digits compare as numbers. */
export function compareClasses(a: Named, b: Named): number {
  const order = (x: string | null, y: string | null) => compareText(x ?? '', y ?? '');
  return (
    order(a.subjectAbbreviation, b.subjectAbbreviation) ||
    order(a.courseNumber, b.courseNumber) ||
    order(a.courseName ?? a.name, b.courseName ?? b.name)
  );
}
