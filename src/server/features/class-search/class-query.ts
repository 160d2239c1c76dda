// Matches a query as it is typed, with the meanings that its words can have. If no class has all of its words, tries typos, and
// then leaves out words.
import type { Class } from '#contract/entities.ts';
import { toTerms, type Token } from '#server/base/tokenizer.ts';
import type { ClassDictionaries } from './class-dictionaries.ts';
import type { HighlightTerm } from './highlight.ts';
import type { Matches, QueryMatcher } from './query-matcher.ts';
import { isStopWord, QueryPieces, readTokens, type Piece, type QueryWord } from './query-pieces.ts';
import { codeScores } from './ranking.ts';
import type { ShortForms } from './short-forms.ts';
import { splitWord, type WordList } from './split-words.ts';
import type { TermDictionary } from './term-dictionary.ts';

/** The words that are left must have at least this part of the weight of the query. */
const minPart = 0.4;

export interface QueryMatches extends Matches {
  /** The query, or the query with its unknown words split. */
  text: string;
}

/**
 * Finds the classes that match the query, if need be with typos or without some of its words.
 *
 * @param createMatcher each matcher overwrites the matches of the previous one
 */
export function matchQuery(
  text: string,
  dictionaries: ClassDictionaries,
  shortForms: ShortForms,
  createMatcher: () => QueryMatcher,
): QueryMatches | null {
  const texts = new Set([text, splitUnknownWords(text, dictionaries.words, shortForms)]);
  const readings = Array.from(texts, (part) => new QueryPieces(dictionaries, shortForms, part));
  const match = (pieces: QueryPieces): QueryMatches | null => {
    const matches = createMatcher().match(pieces.list(), pieces.tokens.length);
    return matches && { ...matches, text: pieces.text };
  };
  for (const pieces of readings) {
    pieces.addExact();
    const exact = match(pieces);
    if (exact) return exact;
  }
  for (const pieces of readings) {
    pieces.addTypos();
    const mistyped = match(pieces);
    if (mistyped) return mistyped;
  }
  const pieces = readings.at(-1) as QueryPieces;
  const weights = pieces.tokens.map((_, token) => weigh(pieces.list(), token, dictionaries.size));
  pieces.addLeftOut(weights);
  const part = match(pieces);
  return part?.rows.some((row) => isEnough(row, weights, dictionaries.size)) ? part : null;
}

/** Splits words that were typed together and that no class has: 'datastructures'. */
function splitUnknownWords(
  text: string,
  dictionary: TermDictionary,
  shortForms: ShortForms,
): string {
  const words: WordList = {
    has: (part) => dictionary.get(part) !== null || shortForms.listFullForms(part).length > 0,
    hasPrefix: (prefix) => dictionary.hasPrefix(prefix),
    isStopWord,
  };
  let split = '';
  let last = 0;
  for (const { text: word, start, end } of readTokens(text)) {
    const isKnown = !/^\p{L}+$/u.test(word) || isStopWord(word) || words.hasPrefix(word);
    const parts = isKnown || words.has(word) ? null : splitWord(word, words);
    if (!parts) continue;
    split += text.slice(last, start) + parts.join(' ');
    last = end;
  }
  return split + text.slice(last);
}

/** Rare words weigh most, also those that no class has. Words with typos weigh less. */
function weigh(pieces: readonly Piece[], token: number, classCount: number): number {
  const ofToken = pieces.filter(({ from, to }) => from === token && to === token + 1);
  if (ofToken.some(({ words }) => words.length === 0)) return 0.5;
  const words = ofToken.flatMap((piece) => piece.words.slice(0, 1));
  const mostFrequent = words.toSorted((a, b) => b.postingCount - a.postingCount)[0];
  return mostFrequent ? getRarity(mostFrequent, classCount) : Math.log2(1 + classCount);
}

function getRarity({ postingCount, typos }: QueryWord, classCount: number): number {
  return Math.log2(1 + classCount / postingCount) / (1 + typos);
}

/** Whether the words that are not left out say enough about a class. */
function isEnough(row: readonly Piece[], weights: readonly number[], classCount: number): boolean {
  if (row.some(({ score }) => score >= codeScores.namedCourse)) return true;
  const words = row.flatMap((piece) => piece.words);
  const hasWord = words.some(({ text }) => /^\p{L}{3}/u.test(text) && !isStopWord(text));
  const sum = (list: readonly number[]) => list.reduce((total, weight) => total + weight, 0);
  const weight = sum(words.map((word) => getRarity(word, classCount)));
  const leftOut = row.filter((piece) => piece.isLeftOut).map(({ from }) => weights[from] ?? 0);
  return hasWord && weight >= minPart * (weight + sum(leftOut));
}

/**
 * The query as the search results show it.
 *
 * @param best the class that is found first
 * @returns null if it is shown as typed
 */
export function toRewrittenText(
  typedText: string,
  { text, listPieces }: QueryMatches,
  bestDoc: number,
  best: Class,
): string | null {
  const row = listPieces(bestDoc);
  const tokens = readTokens(text);
  const parts = row.map((piece) => toShown(piece, text, tokens, best));
  if (text === typedText && parts.every((part) => part === null)) return null;
  let rewritten = '';
  for (const [i, { from, to }] of row.entries()) {
    const part = parts[i] ?? text.slice(tokens[from]?.start, tokens[to - 1]?.end);
    const isJoined = tokens[from]?.joined && parts[i] === null && parts[i - 1] === null;
    rewritten += part === '' || rewritten === '' || isJoined ? part : ` ${part}`;
  }
  return rewritten;
}

function toShown(piece: Piece, text: string, tokens: readonly Token[], best: Class): string | null {
  const { from, to, code, shown, isStem } = piece;
  if (isStem) {
    const words = toTerms(best.courseName || best.name || '');
    return words.find((word) => word.startsWith(shown ?? '')) ?? shown;
  }
  if (!code) return shown;
  const subject = best.subjectAbbreviation ?? '';
  const typedSubject = tokens.slice(from, code.numberFrom).map((token) => token.text);
  if (toTerms(subject).join(' ') === typedSubject.join(' ')) return null;
  if (code.numberFrom === to) return subject.toUpperCase();
  return `${subject.toUpperCase()} ${text.slice(tokens[code.numberFrom]?.start, tokens[to - 1]?.end)}`;
}

export function toHighlightTerms(row: readonly Piece[], best: Class): HighlightTerm[] {
  return row.flatMap(({ words, code, to }) => {
    if (code) {
      const number = code.numberFrom < to ? (best.courseNumber ?? '') : '';
      return toTerms(`${best.subjectAbbreviation ?? ''} ${number}`).map((text) => ({
        text,
        prefix: false,
        fuzzy: new Set<string>(),
      }));
    }
    return words
      .filter(({ kind }) => kind === 'text')
      .map(({ text, prefix, typos, expansions }) => ({
        text,
        prefix,
        fuzzy: new Set(typos > 0 ? expansions.map(({ term }) => term.text) : []),
      }));
  });
}
