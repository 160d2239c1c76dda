// Folds characters for the searches: lower case without accents, so that people find what they type in another way.
import { limitCombiningMarks } from './limit-combining-marks.ts';

/** Accents and vowel points. Vowel signs of Indic scripts count as letters and stay. */
const accents = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;

/** Letters that Unicode does not decompose, and letters that people type interchangeably. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ـ: '',
};

const foldedCharacters = new Map<string, string>();

/**
 * @param character with its combining marks, if it has any
 * @returns its letters, digits and vowel signs; empty for every other character
 */
export function foldCharacter(character: string): string {
  const cached = foldedCharacters.get(character);
  if (cached !== undefined) return cached;
  const folded = foldLetters(character).replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  // Bounds the cache against text with many distinct characters, or with many marks on one.
  if (foldedCharacters.size > 4096) foldedCharacters.clear();
  if (character.length <= 4) foldedCharacters.set(character, folded);
  return folded;
}

/** Folds the letters and digits of a text and leaves everything else in it. Sorting many marks takes quadratic time. */
export function foldLetters(text: string): string {
  return limitCombiningMarks(text)
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(accents, '')
    .replace(/[ßæœøđðþłħıςىیکةـ]/g, (letter) => plainLetters[letter] ?? '')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}
