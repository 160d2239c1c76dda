// The terms that a class is indexed under, with the field and position of each.
import type { Class } from '#contract/entities.ts';
import type { Highlights } from '#contract/class-search.ts';
import { toOtherNumeral, toTerms } from '#server/base/tokenizer.ts';

/** The text fields that a search looks in. The ranking has a weight for each. */
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

/** Packs a field and a position in it into one number. */
const packPlace = (field: number, position: number) => (Math.min(position, 255) << 3) | field;
export const toField = (place: number) => place & 7;
export const toPosition = (place: number) => place >> 3;

/** How students type the words that begin here: 'us' for 'U.S.' and 'United States', 'ai' for 'A.I.'. */
function findInitials(terms: readonly string[], position: number): string | null {
  const [first = '', second = ''] = terms.slice(position, position + 2);
  if (first === 'united' && second === 'states') return 'us';
  return /^[a-z]{2}$/.test(first + second) && first !== '' && second !== '' ? first + second : null;
}

/** If a term occurs twice in a field, only its first position counts. */
export function visitTerms(
  indexedClass: Class,
  onTerm: (term: string, place: number) => void,
): void {
  for (let field = 0; field < searchedFields.length; field++) {
    const name = searchedFields[field] as SearchedField;
    const value = indexedClass[name];
    const terms = toTerms(Array.isArray(value) ? value.join(' ') : (value ?? ''));
    const isName = name === 'courseName' || name === 'name';
    for (let position = 0; position < terms.length; position++) {
      const term = terms[position] as string;
      if (terms.indexOf(term) < position) continue;
      onTerm(term, packPlace(field, position));
      const numeral = isName ? toOtherNumeral(term) : null;
      if (numeral && !terms.includes(numeral)) onTerm(numeral, packPlace(field, position));
      const initials = isName ? findInitials(terms, position) : null;
      if (initials && !terms.includes(initials)) onTerm(initials, packPlace(field, position));
    }
  }
}

/** The number of terms in the class name. */
export function countNameTerms({ courseName, name }: Class): number {
  return Math.min(toTerms(courseName || name || '').length, 255);
}
