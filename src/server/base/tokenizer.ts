// Splits text into terms: lower case, no accents, letters and digits apart.
import { foldCharacter } from '#contract/fold-character.ts';

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
/** Apostrophes, marks and invisible characters do not separate words. */
const inside = /^['’ʼ‘`ـ\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;

function toKind(character: string, text: string): Kind {
  if (inside.test(character)) return 'inside';
  if (unspacedScripts.test(character)) return 'alone';
  if (/^\p{N}/u.test(text)) return 'digits';
  return text === '' ? null : 'letters';
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let last: Kind = null;
  let offset = 0;
  for (const character of text) {
    const letters = foldCharacter(character);
    const kind = toKind(character, letters);
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
    foldedLength += foldCharacter(character).length;
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
