// The terms of a query, and the indexed terms that each of them matches.
import { tokenize } from '#server/base/tokenizer.ts';
import type { Term, TermDictionary } from './term-dictionary.ts';

export interface QueryTerm {
  text: string;
  /** The index among all tokens of the query. */
  position: number;
  /** A stop word such as 'of'. As the last token it may be a prefix of another word. */
  stopWord: boolean;
  /** Only classes with this term match. */
  required: boolean;
  /** The term also matches as a prefix. */
  prefix: boolean;
  countAllowedTypos: number;
}

export interface Expansion {
  term: Term;
  /** False if the query term is only a prefix of this term. */
  isWhole: boolean;
  typos: number;
}

/** Bounds the cost of a query. */
const maxTerms = 16;
const stopWords = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'or', 'the', 'to', 'with']);
export const isStopWord = (word: string): boolean => stopWords.has(word);
const sectionWords = new Set(['sec', 'section']);
/** The shortest words that can have one typo, and two. Shorter words have too many neighbors. */
const lengthForOneTypo = 4;
const lengthForTwoTypos = 8;
const maxTypoLength = 40;

export function toQueryTerms(text: string): QueryTerm[] {
  const tokens = tokenize(text).slice(0, maxTerms);
  const isNumber = (i: number) => /^\d/.test(tokens[i]?.text ?? '');
  /** The word 'section' after a course number may be half typed. */
  const isPartOfSection = tokens.map(({ text: word }, i) => {
    return i === tokens.length - 1 && isNumber(i - 1) && /^sec(t(i(on?)?)?)?$/.test(word);
  });
  const areStopWords = tokens.map(({ text: word, joined }, i) => {
    if (isPartOfSection[i]) return true;
    return sectionWords.has(word) ? isNumber(i + 1) : stopWords.has(word) && !joined;
  });
  const onlyStopWords = areStopWords.every(Boolean);
  const usedWords = new Set<string>();
  const terms: QueryTerm[] = [];
  for (const [position, { text: word }] of tokens.entries()) {
    if (usedWords.has(word)) continue;
    usedWords.add(word);
    const letters = !/^\d/.test(word);
    const last = position === tokens.length - 1;
    const stopWord = areStopWords[position] ?? false;
    terms.push({
      text: word,
      position,
      stopWord,
      required: onlyStopWords || (last && !isPartOfSection[position]) || !stopWord,
      // A course number is complete when another word follows.
      prefix: last || (letters && word.length > 1),
      countAllowedTypos: letters ? countAllowedTypos(word.length) : 0,
    });
  }
  return terms;
}

function countAllowedTypos(length: number): number {
  if (length < lengthForOneTypo || length > maxTypoLength) return 0;
  return length < lengthForTwoTypos ? 1 : 2;
}

/** @param assumedTypos the typos to assume even if the term has an exact match. Null accepts no typos at all. */
export function expandTerm(
  { text, prefix, countAllowedTypos: maxTypos }: QueryTerm,
  dictionary: TermDictionary,
  assumedTypos: number | null,
): Expansion[] {
  const expansions: Expansion[] = [];
  const exact = dictionary.get(text);
  if (exact) expansions.push({ term: exact, isWhole: true, typos: 0 });
  if (prefix) {
    for (const term of dictionary.listByPrefix(text)) {
      expansions.push({ term, isWhole: false, typos: 0 });
    }
  }
  if (assumedTypos === null) return expansions;
  if (expansions.length > 0) {
    const typos = Math.min(assumedTypos, maxTypos);
    return typos > 0 ? [...expansions, ...dictionary.fuzzy(text, typos, prefix)] : expansions;
  }
  for (let typos = 1; typos <= maxTypos; typos++) {
    const fuzzy = dictionary.fuzzy(text, typos, prefix);
    if (fuzzy.length > 0) return [...fuzzy];
  }
  return [];
}
