// The words of a query, and the indexed words that each of them matches.
import { wordsOf } from './words.ts';
import type { Entry, Vocabulary } from './vocabulary.ts';

export interface QueryWord {
  text: string;
  /** The index among all words of the query. */
  position: number;
  /** A stop word such as 'of'. As the last word it may be a prefix of another word. */
  connecting: boolean;
  /** Only classes with this word match. */
  required: boolean;
  /** The word also matches as a prefix. */
  prefix: boolean;
  /** The number of typos that are allowed. */
  typos: number;
}

export interface Candidate {
  entry: Entry;
  whole: boolean;
  typos: number;
}

/** Bounds the cost of a query. */
const maxWords = 16;
const connecting = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'or', 'the', 'to', 'with']);
const sectionWords = new Set(['sec', 'section']);
/** Minimum word lengths for one and two typos, as in Algolia. */
const lengthForOneTypo = 4;
const lengthForTwoTypos = 8;
const maxTypoLength = 40;

export function queryWordsOf(text: string): QueryWord[] {
  const words = wordsOf(text).slice(0, maxWords);
  const isNumber = (i: number) => /^\d/.test(words[i]?.text ?? '');
  /** A section can follow a course number, and its word may be half typed. */
  const begins = words.map(({ text: word }, i) => {
    return i === words.length - 1 && isNumber(i - 1) && /^sec(t(i(on?)?)?)?$/.test(word);
  });
  const beside = words.map(({ text: word, joined }, i) => {
    if (begins[i]) return true;
    return sectionWords.has(word) ? isNumber(i + 1) : connecting.has(word) && !joined;
  });
  const onlyBeside = beside.every(Boolean);
  const known = new Set<string>();
  const result: QueryWord[] = [];
  for (const [position, { text: word }] of words.entries()) {
    if (known.has(word)) continue;
    known.add(word);
    const letters = !/^\d/.test(word);
    const last = position === words.length - 1;
    result.push({
      text: word,
      position,
      connecting: beside[position] ?? false,
      required: onlyBeside || (last && !begins[position]) || !beside[position],
      // A course number is complete when another word follows.
      prefix: last || (letters && word.length > 1),
      typos: letters ? allowedTypos(word.length) : 0,
    });
  }
  return result;
}

function allowedTypos(length: number): number {
  if (length < lengthForOneTypo || length > maxTypoLength) return 0;
  return length < lengthForTwoTypos ? 1 : 2;
}

/** @param typos the typos to assume even if the word has an exact match */
export function candidatesFor(
  { text, prefix, typos: borne }: QueryWord,
  vocabulary: Vocabulary,
  typos: number,
): Candidate[] {
  const candidates: Candidate[] = [];
  const exact = vocabulary.exactly(text);
  if (exact) candidates.push({ entry: exact, whole: true, typos: 0 });
  if (prefix) {
    for (const entry of vocabulary.startingWith(text)) {
      candidates.push({ entry, whole: false, typos: 0 });
    }
  }
  if (candidates.length > 0) {
    const assumed = Math.min(typos, borne);
    return assumed > 0 ? [...candidates, ...vocabulary.near(text, assumed, prefix)] : candidates;
  }
  for (let most = 1; most <= borne; most++) {
    const near = vocabulary.near(text, most, prefix);
    if (near.length > 0) return [...near];
  }
  return [];
}
