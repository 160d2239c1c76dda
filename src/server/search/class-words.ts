// The words of a class that the index stores, with the field and position of each.
import type { Class } from '#contract/entities.ts';
import { otherNumeral } from './numerals.ts';
import { searchedFields, type SearchedField } from './searched-fields.ts';
import { wordTextsOf } from './words.ts';

/** Packs a field and a word position into one number. */
const placeOf = (field: number, position: number) => (Math.min(position, 255) << 3) | field;
export const fieldOf = (place: number) => place & 7;
export const positionOf = (place: number) => place >> 3;

export function maskOf(fields: readonly SearchedField[]): number {
  return fields.reduce((mask, field) => mask | (1 << searchedFields.indexOf(field)), 0);
}

/** If a word occurs twice in a field, only its first position counts. */
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

/** The number of words in the class name. */
export function lengthOfName({ courseName, name }: Class): number {
  return Math.min(wordTextsOf(courseName || name || '').length, 255);
}
