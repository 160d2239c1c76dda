// Matches a query as it is typed, with the meanings that its words can have. If no class has all of its words, tries typos, and
// then leaves out words.
import type { Class } from '#contract/entities.ts';
import { toTerms, tokenize, type Token } from '#server/base/tokenizer.ts';
import type { HighlightTerm } from './highlight.ts';
import type { Matches, QueryMatcher } from './query-matcher.ts';
import type { Piece, QueryPieces } from './query-pieces.ts';
import { codeScores } from './ranking.ts';

const maxTokens = 16;
/** The words that are left must have at least this part of the weight of the query. */
const minPart = 0.4;

export const readTokens = (text: string): Token[] => tokenize(text).slice(0, maxTokens);

/** The classes that match the query, with typos or without some of its words if need be. */
export function matchQuery(
  tokens: readonly Token[],
  pieces: QueryPieces,
  matcher: QueryMatcher,
  classCount: number,
): Matches | null {
  const match = () => matcher.match(pieces.list(), tokens.length);
  pieces.addExact();
  const exact = match();
  if (exact) return exact;
  pieces.addTypos();
  const mistyped = match();
  if (mistyped) return mistyped;
  const weights = tokens.map((_, token) => weigh(pieces.list(), token, classCount));
  pieces.addLeftOut(weights);
  const part = match();
  return part?.rows.some((row) => isEnough(row, tokens, weights)) ? part : null;
}

/** Rare words weigh most, also those that no class has. */
function weigh(pieces: readonly Piece[], token: number, classCount: number): number {
  const ofToken = pieces.filter(({ from, to }) => from === token && to === token + 1);
  if (ofToken.some(({ words }) => words.length === 0)) return 0.5;
  const counts = ofToken.flatMap(({ words }) => words.slice(0, 1)).map((word) => word.postingCount);
  return Math.log2(1 + classCount / Math.max(1, ...counts));
}

/** Whether the words that are not left out say enough about a class. */
function isEnough(
  row: readonly Piece[],
  tokens: readonly Token[],
  weights: readonly number[],
): boolean {
  const rest = row.filter((piece) => !piece.isLeftOut);
  if (rest.some(({ score }) => score >= codeScores.namedCourse)) return true;
  const hasWord = rest.some(
    ({ words, from, to }) =>
      words.length > 0 && tokens.slice(from, to).some((token) => /^\p{L}{3}/u.test(token.text)),
  );
  const sum = (list: readonly number[]) => list.reduce((total, weight) => total + weight, 0);
  const restWeight = sum(rest.flatMap(({ from, to }) => weights.slice(from, to)));
  return hasWord && restWeight >= minPart * sum(weights);
}

/**
 * The query as the search results show it.
 *
 * @param best the class that is found first
 * @returns null if no piece is shown differently than it was typed
 */
export function toRewrittenText(text: string, row: readonly Piece[], best: Class): string | null {
  const tokens = readTokens(text);
  const parts = row.map((piece) => toShown(piece, text, tokens, best));
  if (parts.every((part) => part === null)) return null;
  let rewritten = '';
  for (const [i, { from, to }] of row.entries()) {
    const part = parts[i] ?? text.slice(tokens[from]?.start, tokens[to - 1]?.end);
    const isJoined = tokens[from]?.joined && parts[i] === null && parts[i - 1] === null;
    rewritten += part === '' || rewritten === '' || isJoined ? part : ` ${part}`;
  }
  return rewritten;
}

function toShown(piece: Piece, text: string, tokens: readonly Token[], best: Class): string | null {
  const { from, to, code, shown } = piece;
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
