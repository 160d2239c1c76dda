// Splits text into terms: lower case, no accents, letters and digits apart.

export interface Token {
  /** The normalized form. Leading zeros of a number are removed: section 02 is section 2. */
  text: string;
  /** The offset in the original text. */
  start: number;
  end: number;
  /** No character separates this token from the previous one, as with the number in `cs146`. */
  joined: boolean;
}

type Kind = 'letters' | 'digits' | 'alone' | 'inside' | null;

/** Scripts without spaces: each character is a token. */
const unspacedScripts =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}]+$/u;
/** Accents and vowel points. Vowel signs of Indic scripts count as letters and stay. */
const marks = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;
const apostrophe = /^['’ʼ‘`]$/u;
const hasApostrophe = /['’ʼ‘`]/u;
const isDigit = /^\d$/;

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
  const cachedFold = folded.get(character);
  if (cachedFold) return cachedFold;
  const text = Array.from(character.normalize('NFKD').toLowerCase().normalize('NFKD'), toPlain)
    .join('')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
  const result = { text, kind: toKind(character, text) };
  // Bounds the cache against text with many distinct characters.
  if (folded.size > 4096) folded.clear();
  folded.set(character, result);
  return result;
}

function toPlain(character: string): string {
  const arabicDigit = /^[\u0660-\u0669\u06f0-\u06f9]$/.test(character);
  if (arabicDigit) return String(character.charCodeAt(0) & 0xf);
  return plainLetters[character] ?? character.replace(marks, '');
}

/** Whether the token is a character of a script without spaces. */
export function isAlone({ text }: Token): boolean {
  return unspacedScripts.test(text);
}

function toKind(character: string, text: string): Kind {
  if (apostrophe.test(character) || /^\p{M}$/u.test(character) || character === 'ـ') {
    return 'inside';
  }
  if (unspacedScripts.test(character)) return 'alone';
  if (/^\p{N}/u.test(text)) return 'digits';
  return text === '' ? null : 'letters';
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let last: Kind = null;
  let offset = 0;
  for (const character of text) {
    const { text: letters, kind } = fold(character);
    const start = offset;
    offset += character.length;
    const current = tokens.at(-1);
    if (kind === 'inside') {
      if (last && current && letters) extend(current, letters, offset);
      continue;
    }
    if (kind && kind === last && kind !== 'alone' && current) extend(current, letters, offset);
    else if (kind) tokens.push({ text: letters, start, end: offset, joined: last !== null });
    last = kind;
  }
  for (const token of tokens) token.text = token.text.replace(/^0+(?=\d)/, '');
  return tokens;
}

const termCache = new Map<string, readonly string[]>();

/** Cached, because classes share many names, subjects, numbers and days. */
export function toTerms(text: string): readonly string[] {
  const cachedTerms = termCache.get(text);
  if (cachedTerms) return cachedTerms;
  const terms = tokenize(text).map((token) => token.text);
  if (termCache.size > 4096) termCache.clear();
  termCache.set(text, terms);
  return terms;
}

/**
 * The rest of the word after each of its apostrophes: 'elodie' in "d'Élodie". Such words are one token, because "don't"
 * and 'dont' are the same word. The time is linear in the word's length: each ending is a slice of one folded text.
 */
export function toEndings(text: string, { start, end }: Token): Token[] {
  const word = text.slice(start, end);
  if (!hasApostrophe.test(word)) return [];
  let letters = '';
  let offset = start;
  let isAfterApostrophe = false;
  const beginnings: { offset: number; letter: number }[] = [];
  for (const character of word) {
    const { text: plainText, kind } = fold(character);
    if (apostrophe.test(character)) {
      isAfterApostrophe = true;
    } else if (kind !== 'inside' && isAfterApostrophe) {
      beginnings.push({ offset, letter: letters.length });
      isAfterApostrophe = false;
    }
    letters += plainText;
    offset += character.length;
  }
  let first = 0;
  return beginnings.map(({ offset: startOfEnding, letter }) => {
    first = Math.max(first, letter);
    while (letters[first] === '0' && isDigit.test(letters[first + 1] ?? '')) first += 1;
    return { text: letters.slice(first), start: startOfEnding, end, joined: true };
  });
}

/** The folded characters without a gap. Each token's text, and each ending of a token, is a part of it. */
export function foldText(text: string): string {
  let letters = '';
  for (const character of text) letters += fold(character).text;
  return letters;
}

function extend(token: Token, letters: string, end: number): void {
  token.text += letters;
  token.end = end;
}

/** The offset in the original text after the first `length` characters of the token. */
export function findPrefixEnd(text: string, token: Token, length: number): number {
  let foldedLength = 0;
  let offset = token.start;
  for (const character of text.slice(token.start, token.end)) {
    if (foldedLength >= length) break;
    foldedLength += fold(character).text.length;
    offset += character.length;
  }
  return offset;
}

/** 'Calculus III' and 'Calculus 3' are the same name. */
const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];

/** Converts 1 to 10 between Roman and Arabic numerals. */
export function toOtherNumeral(word: string): string | null {
  const value = roman.indexOf(word) + 1;
  if (value > 0) return String(value);
  return /^\d+$/.test(word) ? (roman[Number(word) - 1] ?? null) : null;
}
