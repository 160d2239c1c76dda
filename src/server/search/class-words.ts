// What of a class is looked up, and where in it each word stands.
import type { Class } from '#contract/entities.ts';
import { otherNumeral } from './numerals.ts';
import { searchedFields, type SearchedField } from './searched-fields.ts';
import { wordsOf } from './words.ts';

/** A field and the position of a word in it, as one number. */
const placeOf = (field: number, position: number) => (Math.min(position, 255) << 3) | field;
export const fieldOf = (place: number) => place & 7;
export const positionOf = (place: number) => place >> 3;

export function maskOf(fields: readonly SearchedField[]): number {
  return fields.reduce((mask, field) => mask | (1 << searchedFields.indexOf(field)), 0);
}

export interface PlacedWord {
  word: string;
  place: number;
}

export function wordsOfClass(one: Class): PlacedWord[] {
  const placed: PlacedWord[] = [];
  for (const [field, name] of searchedFields.entries()) {
    const value = one[name];
    const text = Array.isArray(value) ? value.join(' ') : (value ?? '');
    const known = new Set<string>();
    for (const [position, { text: word }] of wordsOf(text).entries()) {
      const isName = name === 'courseName' || name === 'name';
      for (const written of [word, isName ? otherNumeral(word) : null]) {
        if (written === null || known.has(written)) continue;
        known.add(written);
        placed.push({ word: written, place: placeOf(field, position) });
      }
    }
  }
  return placed;
}

/** How many words its name has, as far as we count. */
export function lengthOfName({ courseName, name }: Class): number {
  return Math.min(wordsOf(courseName || name || '').length, 255);
}
