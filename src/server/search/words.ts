// Splits text into searchable words: lower case, no accents, letters and digits apart.

export interface Word {
  /** The normalized form. Leading zeros of a number are removed: section 02 is section 2. */
  text: string;
  /** The offset in the original text. */
  start: number;
  end: number;
  /** No character separates this word from the previous one, as with the number in `cs146`. */
  joined: boolean;
}

type Kind = 'letters' | 'digits' | 'alone' | 'inside' | null;

/** Scripts without spaces: each character is a word. */
const alone =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}]/u;
/** Accents and vowel points. Vowel signs of Indic scripts count as letters and stay. */
const marks = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;
const apostrophe = /^['’ʼ‘`]$/u;

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
  ة: 'ه',
  ـ: '',
};

interface Folded {
  text: string;
  kind: Kind;
}

const folded = new Map<string, Folded>();

function fold(character: string): Folded {
  const known = folded.get(character);
  if (known) return known;
  const text = Array.from(character.normalize('NFKD').toLowerCase().normalize('NFKD'), plain)
    .join('')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  const result = { text, kind: kindOf(character, text) };
  // Bounds the cache against text with many distinct characters.
  if (folded.size > 4096) folded.clear();
  folded.set(character, result);
  return result;
}

function plain(character: string): string {
  const arabicDigit = /^[\u0660-\u0669\u06f0-\u06f9]$/.test(character);
  if (arabicDigit) return String(character.charCodeAt(0) & 0xf);
  return plainLetters[character] ?? character.replace(marks, '');
}

function kindOf(character: string, text: string): Kind {
  if (apostrophe.test(character) || /^\p{M}$/u.test(character) || character === 'ـ')
    return 'inside';
  if (alone.test(character)) return 'alone';
  if (/^\p{N}/u.test(text)) return 'digits';
  return text === '' ? null : 'letters';
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let last: Kind = null;
  let at = 0;
  for (const character of text) {
    const { text: letters, kind } = fold(character);
    const start = at;
    at += character.length;
    const current = words.at(-1);
    if (kind === 'inside') {
      if (last && current && letters) extend(current, letters, at);
      continue;
    }
    if (kind && kind === last && kind !== 'alone' && current) extend(current, letters, at);
    else if (kind) words.push({ text: letters, start, end: at, joined: last !== null });
    last = kind;
  }
  for (const word of words) word.text = word.text.replace(/^0+(?=\d)/, '');
  return words;
}

const textsKnown = new Map<string, readonly string[]>();

/** Cached, because classes share many names, subjects, numbers and days. */
export function wordTextsOf(text: string): readonly string[] {
  const known = textsKnown.get(text);
  if (known) return known;
  const words = wordsOf(text).map((word) => word.text);
  if (textsKnown.size > 4096) textsKnown.clear();
  textsKnown.set(text, words);
  return words;
}

function extend(word: Word, letters: string, end: number): void {
  word.text += letters;
  word.end = end;
}

/** The offset in the original text after the first `length` characters of the word. */
export function prefixEnd(text: string, word: Word, length: number): number {
  let covered = 0;
  let at = word.start;
  for (const character of text.slice(word.start, word.end)) {
    if (covered >= length) break;
    covered += fold(character).text.length;
    at += character.length;
  }
  return at;
}
