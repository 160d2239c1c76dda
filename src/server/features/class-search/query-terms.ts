// The terms of a query, and the indexed terms that each of them matches.
import { defaultMatching, type Matching } from './matching.ts';
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
  /** Classes with this term rank above classes without it. */
  optional: boolean;
  /** The term also matches as a prefix. */
  prefix: boolean;
  allowedTypos: number;
}

export interface Expansion {
  term: Term;
  /** False if the query term is only a prefix of this term. */
  whole: boolean;
  typos: number;
}

/** Bounds the cost of a query. */
const maxTerms = 16;
const stopWords = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'or', 'the', 'to', 'with']);
export const isStopWord = (word: string): boolean => stopWords.has(word);
const sectionWords = new Set(['sec', 'section']);
const maxTypoLength = 40;

/** @param exact terms that match only as they are, because they are part of a phrase */
export function queryTermsOf(
  text: string,
  matching: Matching = defaultMatching,
  exact: ReadonlySet<string> = new Set(),
): QueryTerm[] {
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
  const known = new Set<string>();
  const terms: QueryTerm[] = [];
  for (const [position, { text: word }] of tokens.entries()) {
    if (known.has(word)) continue;
    known.add(word);
    const letters = !/^\d/.test(word);
    const last = position === tokens.length - 1;
    const stopWord = areStopWords[position] ?? false;
    const needed = onlyStopWords || (last && !isPartOfSection[position]) || !stopWord;
    const optional = needed && matching.optionalWords.has(word);
    const isExact = exact.has(word);
    terms.push({
      text: word,
      position,
      stopWord,
      required: needed && !optional,
      optional,
      prefix: !isExact && isPrefix(word, last, matching),
      allowedTypos: letters && !isExact ? allowedTypos(word.length, matching) : 0,
    });
  }
  return terms;
}

/** Bounds the cost of a query that finds nothing, as in Algolia. */
const maxRemovedTerms = 5;

/** The variants of a query that found nothing, in the order to try them. */
export function* relaxTerms(
  terms: readonly QueryTerm[],
  removal: Matching['removal'],
): Generator<QueryTerm[]> {
  const required = terms.filter((term) => term.required);
  if (removal === 'none' || required.length < 2) return;
  const withOptional = (some: readonly QueryTerm[]) =>
    terms.map((one) => (some.includes(one) ? { ...one, required: false, optional: true } : one));
  if (removal === 'allOptional') {
    yield withOptional(required);
    return;
  }
  for (let count = 1; count <= Math.min(maxRemovedTerms, required.length - 1); count++) {
    yield withOptional(removal === 'lastWords' ? required.slice(-count) : required.slice(0, count));
  }
}

function isPrefix(word: string, last: boolean, { queryType }: Matching): boolean {
  switch (queryType) {
    case 'prefixLast':
      return last;
    case 'prefixAll':
      return true;
    case 'prefixNone':
      return false;
    case null:
      // A course number is complete when another word follows.
      return last || (!/^\d/.test(word) && word.length > 1);
  }
}

function allowedTypos(length: number, { lengthForTypos: [one, two] }: Matching): number {
  if (length < one || length > maxTypoLength) return 0;
  return length < two ? 1 : 2;
}

/** @param assumedTypos the typos to assume even if the term has an exact match. Null accepts no typos at all. */
export function expandTerm(
  { text, prefix, allowedTypos: maxTypos }: QueryTerm,
  dictionary: TermDictionary,
  assumedTypos: number | null,
): Expansion[] {
  const expansions: Expansion[] = [];
  const exact = dictionary.get(text);
  if (exact) expansions.push({ term: exact, whole: true, typos: 0 });
  if (prefix) {
    for (const term of dictionary.withPrefix(text)) {
      expansions.push({ term, whole: false, typos: 0 });
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
