// What of a class is looked up, and where in it each word stands.
import type { Class } from '#contract/entities.ts';
import { otherNumeral } from './numerals.ts';
import { searchedFields, type SearchedField } from './searched-fields.ts';
import { wordTextsOf } from './words.ts';

/** A field and the position of a word in it, as one number. */
const placeOf = (field: number, position: number) => (Math.min(position, 255) << 3) | field;
export const fieldOf = (place: number) => place & 7;
export const positionOf = (place: number) => place >> 3;

export function maskOf(fields: readonly SearchedField[]): number {
  return fields.reduce((mask, field) => mask | (1 << searchedFields.indexOf(field)), 0);
}

/** A word that stands in a field twice counts where it stands first. */
export function eachWordOf(one: Class, found: (word: string, place: number) => void): void {
  for (let field = 0; field < searchedFields.length; field++) {
    const name = searchedFields[field] as SearchedField;
    const value = one[name];
    const words = wordTextsOf(Array.isArray(value) ? value.join(' ') : (value ?? ''));
    const isName = name === 'courseName' || name === 'name';
    for (let position = 0; position < words.length; position++) {
      const word = words[position] as string;
      if (words.indexOf(word) < position) continue;
      found(word, placeOf(field, position));
      const written = isName ? otherNumeral(word) : null;
      if (written && !words.includes(written)) found(written, placeOf(field, position));
    }
  }
}

/** How many words its name has, as far as we count. */
export function lengthOfName({ courseName, name }: Class): number {
  return Math.min(wordTextsOf(courseName || name || '').length, 255);
}
