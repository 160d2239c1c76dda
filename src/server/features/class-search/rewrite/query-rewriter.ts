// Rewrites a query in other words with the same meaning: words joined or split, full forms of short forms, the code of a subject
// instead of its name, singular and plural, days and times. A k-best Viterbi search over the splits of the query into pieces
// finds the cheapest rewrites. Each piece is a way to write some words, and has a cost.
import type { CourseCodes } from '#server/features/class-search/course-codes.ts';
import { isStopWord } from '#server/features/class-search/query-terms.ts';
import type { TermDictionary } from '#server/features/class-search/term-dictionary.ts';
import { toTerms, tokenize, type Token } from '#server/base/tokenizer.ts';
import { parseDays, parseMeetingTime, type TimeRange } from './meeting-times.ts';
import type { ShortForms } from './short-forms.ts';
import { splitWord, type WordList } from './split-words.ts';
import { listSubjectCandidates } from './subject-candidates.ts';

export interface QueryRewrite {
  /** The words to search. */
  text: string;
  /** The time range in which classes begin, if the query has one. */
  begins: TimeRange | null;
  /** Words and time, as the search results show them. */
  shown: string;
  /** Whether the rewrite has the code of an existing course instead of the subject's name. */
  namesCourse: boolean;
  /** Whether the rewrite has words that no class has. */
  hasUnknown: boolean;
}

/** A way to write the tokens from one index up to another. */
interface Piece {
  to: number;
  text: string;
  /** Set if no space separates the piece from the previous one, like the A of '1A'. */
  joined?: boolean;
  cost: number;
  begins?: TimeRange;
  label?: string;
  namesCourse?: boolean;
  /** Whether the piece is the word as it was written. */
  isWritten?: boolean;
  isUnknown?: boolean;
}

interface Path {
  cost: number;
  /** The pieces so far, last first. */
  piece: Piece | null;
  previous: Path | null;
}

// These bound the cost of a query.
const maxTokens = 12;
const maxRewrites = 8;
const maxSplits = 4;
const maxJoined = 4;

// A rewrite with a lower cost is tried first.
const costs = {
  subjectOfCourse: 0.6,
  ignored: 0.6,
  joined: 0.8,
  plural: 1,
  fullForm: 1,
  days: 0.7,
  time: 0.7,
  split: 1.1,
  initials: 1.5,
  subject: 1.8,
  /** A name of several words, such as 'poli sci', explains more of the query than rewrites of each word. */
  longSubject: 1.2,
  unknown: 3,
  /** The extra cost of each later alternative of the same kind. */
  alternative: 0.15,
  /** The extra cost if classes have the words that are replaced. */
  replacesKnown: 0.4,
};

export class QueryRewriter {
  readonly #dictionary: TermDictionary;
  readonly #codes: CourseCodes;
  readonly #shortForms: ShortForms;
  readonly #words: WordList;

  constructor(dictionary: TermDictionary, codes: CourseCodes, shortForms: ShortForms) {
    this.#dictionary = dictionary;
    this.#codes = codes;
    this.#shortForms = shortForms;
    this.#words = {
      has: (word) =>
        word.length > 2 &&
        (this.#dictionary.get(word) !== null || this.#shortForms.listFullForms(word).length > 0),
      isStopWord,
      hasPrefix: (prefix) => this.#dictionary.hasPrefix(prefix),
    };
  }

  /**
   * @param withUnknown also keeps words that no class has, because they may have typos
   * @returns the likeliest rewrites first
   */
  rewrite(text: string, withUnknown: boolean): QueryRewrite[] {
    const tokens = tokenize(text);
    if (tokens.length === 0 || tokens.length > maxTokens) return [];
    const splits = this.#findSplits(tokens);
    /** The cheapest ways to write the first tokens, for each number of tokens. */
    const paths: Path[][] = [[{ cost: 0, piece: null, previous: null }]];
    for (let from = 0; from < tokens.length; from++) {
      const startPaths = paths[from];
      if (!startPaths) continue;
      for (const piece of this.#listPieces(text, tokens, from, splits, withUnknown)) {
        const endPaths = (paths[piece.to] ??= []);
        for (const startPath of startPaths) {
          insertPath(endPaths, { cost: startPath.cost + piece.cost, piece, previous: startPath });
        }
      }
    }
    const rewrites = (paths[tokens.length] ?? [])
      .map(toRewrite)
      .filter((candidate) => candidate !== null);
    return rewrites.filter(
      (candidate, i) => rewrites.findIndex(({ shown }) => shown === candidate.shown) === i,
    );
  }

  #isKnown({ text }: Token): boolean {
    if (isStopWord(text)) return true;
    return /^\d/.test(text)
      ? this.#dictionary.get(text) !== null
      : this.#dictionary.hasPrefix(text);
  }

  #isKnownText(text: string): boolean {
    return toTerms(text).every((term) => isStopWord(term) || this.#dictionary.hasPrefix(term));
  }

  *#listPieces(
    text: string,
    tokens: readonly Token[],
    from: number,
    splits: ReadonlyMap<number, string>,
    withUnknown: boolean,
  ): Generator<Piece> {
    const token = tokens[from] as Token;
    const isKnownToken = this.#isKnown(token);
    const writtenText = text.slice(token.start, token.end);
    if (isKnownToken || withUnknown) {
      yield {
        to: from + 1,
        text: writtenText,
        cost: isKnownToken ? 0 : costs.unknown,
        joined: token.joined,
        isWritten: true,
        isUnknown: !isKnownToken,
      };
    }
    yield* this.#listOtherWords(token, from, isKnownToken, splits.get(from));
    const time = parseMeetingTime(text, tokens, from);
    if (time) {
      const { length, begins, label } = time;
      yield { to: from + length, text: '', cost: costs.time, begins, label };
    }
    yield* this.#listSpans(tokens, from, isKnownToken);
  }

  /** Lists the pieces that replace one word: by nothing, its parts, its letters, its plural or its singular. */
  *#listOtherWords(
    token: Token,
    from: number,
    isKnownToken: boolean,
    split: string | undefined,
  ): Generator<Piece> {
    if (this.#shortForms.isIgnored(token.text)) {
      yield { to: from + 1, text: '', cost: costs.ignored };
    }
    if (split !== undefined) yield { to: from + 1, text: split, cost: costs.split };
    const letters = /^[a-z]{2,3}$/.test(token.text) ? token.text.split('') : [];
    if (letters.length > 0 && letters.every((letter) => this.#dictionary.get(letter))) {
      yield { to: from + 1, text: letters.join(' '), cost: costs.initials };
    }
    for (const otherWord of toOtherNumbers(token.text)) {
      if (!this.#words.has(otherWord)) continue;
      yield {
        to: from + 1,
        text: otherWord,
        cost: costs.plural + (isKnownToken ? costs.replacesKnown : 0),
      };
    }
  }

  /** Lists the pieces that replace several tokens together. */
  *#listSpans(tokens: readonly Token[], from: number, isKnownToken: boolean): Generator<Piece> {
    for (let to = from + 1; to <= Math.min(tokens.length, from + maxJoined); to++) {
      const span = tokens.slice(from, to).map((token) => token.text);
      const joinedText = span.join('');
      if (joinedText.length > 40) return;
      const days = parseDays(joinedText);
      if (days.length > 0) yield { to, text: days.join(' '), cost: costs.days };
      if (to > from + 1 && this.#isJoinable(joinedText)) {
        yield { to, text: joinedText, cost: costs.joined };
      }
      // A short form of more tokens explains more of the query, so it costs less.
      const baseCost =
        costs.fullForm -
        0.1 * (to - from) +
        (isKnownToken && to === from + 1 ? costs.replacesKnown : 0);
      for (const [i, fullForm] of this.#shortForms.listFullForms(joinedText).entries()) {
        if (!this.#isKnownText(fullForm)) continue;
        yield { to, text: fullForm, cost: baseCost + i * costs.alternative };
      }
      yield* this.#listSubjects(tokens, span, to);
    }
  }

  #isJoinable(joinedText: string): boolean {
    if (joinedText.length < 2 || !/^\p{L}+$/u.test(joinedText)) return false;
    return (
      this.#dictionary.get(joinedText) !== null ||
      (joinedText.length > 3 && this.#dictionary.hasPrefix(joinedText))
    );
  }

  /** Lists pieces with the codes of the subject that this span names. */
  *#listSubjects(tokens: readonly Token[], span: readonly string[], to: number): Generator<Piece> {
    const nextText = tokens[to]?.text ?? '';
    const secondNextText = tokens[to + 1]?.text ?? '';
    const hasNumber = /^\d/.test(nextText);
    for (const [i, { subject, isGuess }] of listSubjectCandidates(
      span,
      hasNumber,
      this.#codes,
      this.#shortForms,
    ).entries()) {
      const isCourse =
        hasNumber &&
        (this.#codes.hasCourse(subject, nextText) ||
          this.#codes.hasCourse(subject, nextText + secondNextText));
      if (isGuess && !isCourse) continue;
      const nameCost = span.length > 1 ? costs.longSubject : costs.subject;
      const cost = (isCourse ? costs.subjectOfCourse : nameCost) + i * costs.alternative;
      for (const spelling of this.#codes.listSpellings(subject)) {
        if (spelling === span.join(' ')) continue;
        yield { to, text: spelling.toUpperCase(), cost, namesCourse: isCourse };
      }
    }
  }

  /** Splits unknown words. Only the first few are split, because this takes the most time. */
  #findSplits(tokens: readonly Token[]): Map<number, string> {
    const splits = new Map<number, string>();
    let triedCount = 0;
    for (const [i, token] of tokens.entries()) {
      if (triedCount === maxSplits) break;
      if (!/^\p{L}+$/u.test(token.text) || this.#isKnown(token)) continue;
      triedCount += 1;
      const parts = splitWord(token.text, this.#words);
      if (parts) splits.set(i, parts.map((part) => this.#toFullFormIfUnknown(part)).join(' '));
    }
    return splits;
  }

  #toFullFormIfUnknown(part: string): string {
    if (this.#dictionary.hasPrefix(part)) return part;
    return this.#shortForms.listFullForms(part).find((text) => this.#isKnownText(text)) ?? part;
  }
}

/** Keeps the k cheapest paths (k = `maxRewrites`) in order. */
function insertPath(paths: Path[], path: Path): void {
  if (paths.length === maxRewrites && path.cost >= (paths.at(-1)?.cost ?? 0)) return;
  let position = paths.length;
  while (position > 0 && (paths[position - 1]?.cost ?? 0) > path.cost) position -= 1;
  paths.splice(position, 0, path);
  if (paths.length > maxRewrites) paths.pop();
}

/** @returns null if the rewrite is equal to the query, or empty */
function toRewrite(path: Path): QueryRewrite | null {
  const pieces: Piece[] = [];
  for (let end: Path | null = path; end?.piece; end = end.previous) pieces.unshift(end.piece);
  if (pieces.every((piece) => piece.isWritten)) return null;
  const join = (parts: (string | undefined)[]) => parts.filter(Boolean).join(' ');
  let text = '';
  for (const [i, piece] of pieces.entries()) {
    const isNumberSuffix = piece.joined && /\d$/.test(pieces[i - 1]?.text ?? '');
    text += text === '' || piece.text === '' || isNumberSuffix ? piece.text : ` ${piece.text}`;
  }
  const begins = pieces.findLast((piece) => piece.begins)?.begins ?? null;
  if (text === '' && !begins) return null;
  return {
    text,
    begins,
    shown: join([text, ...pieces.map((piece) => piece.label)]),
    namesCourse: pieces.some((piece) => piece.namesCourse),
    hasUnknown: pieces.some((piece) => piece.isUnknown),
  };
}

/** Returns the possible plurals of a singular word, or singulars of a plural word. */
function toOtherNumbers(word: string): string[] {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return [];
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`];
  if (word.endsWith('es')) return [word.slice(0, -1), word.slice(0, -2)];
  if (word.endsWith('s')) return [word.slice(0, -1)];
  return word.endsWith('y') ? [`${word.slice(0, -1)}ies`, `${word}s`] : [`${word}s`, `${word}es`];
}
