// Writes a query in other words with the same meaning: words together or apart, full forms of short forms, a
// subject's code for its name, singular and plural, days and times. The cheapest rewrites come from a k-best Viterbi search
// over the splits of the query into pieces: each piece is a way to write some words, and has a cost.
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
  /** When classes begin, if the query says it. */
  begins: TimeRange | null;
  /** Words and time, as the search results show them. */
  shown: string;
  /** The rewrite has the code of a course that exists, in place of the subject's name. */
  namesCourse: boolean;
  /** The rewrite has words that no class has. */
  hasUnknown: boolean;
}

/** A way to write the tokens from one index up to another. */
interface Piece {
  to: number;
  text: string;
  /** No space separates it from the previous piece, as with the A of '1A'. */
  joined?: boolean;
  cost: number;
  begins?: TimeRange;
  label?: string;
  namesCourse?: boolean;
  /** The word as it was written. */
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
  /** If the words that are replaced occur in classes. */
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
    const written = text.slice(token.start, token.end);
    const keeping = isKnownToken ? 0 : costs.unknown;
    if (isKnownToken || withUnknown) {
      yield {
        to: from + 1,
        text: written,
        cost: keeping,
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

  /** Pieces that replace one word: nothing, its parts, its letters, its plural or singular. */
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
    for (const other of toOtherNumbers(token.text)) {
      if (!this.#words.has(other)) continue;
      yield {
        to: from + 1,
        text: other,
        cost: costs.plural + (isKnownToken ? costs.replacesKnown : 0),
      };
    }
  }

  /** Pieces for several tokens together. */
  *#listSpans(tokens: readonly Token[], from: number, isKnownToken: boolean): Generator<Piece> {
    for (let to = from + 1; to <= Math.min(tokens.length, from + maxJoined); to++) {
      const span = tokens.slice(from, to).map((token) => token.text);
      const squeezed = span.join('');
      if (squeezed.length > 40) return;
      const days = parseDays(squeezed);
      if (days.length > 0) yield { to, text: days.join(' '), cost: costs.days };
      if (to > from + 1 && this.#isJoinable(squeezed)) {
        yield { to, text: squeezed, cost: costs.joined };
      }
      // A longer short form explains more of the query.
      const base =
        costs.fullForm -
        0.1 * (to - from) +
        (isKnownToken && to === from + 1 ? costs.replacesKnown : 0);
      for (const [i, full] of this.#shortForms.listFullForms(squeezed).entries()) {
        if (!this.#isKnownText(full)) continue;
        yield { to, text: full, cost: base + i * costs.alternative };
      }
      yield* this.#listSubjects(tokens, span, to);
    }
  }

  #isJoinable(squeezed: string): boolean {
    if (squeezed.length < 2 || !/^\p{L}+$/u.test(squeezed)) return false;
    return (
      this.#dictionary.get(squeezed) !== null ||
      (squeezed.length > 3 && this.#dictionary.hasPrefix(squeezed))
    );
  }

  /** The codes of the subject that this span names. */
  *#listSubjects(tokens: readonly Token[], span: readonly string[], to: number): Generator<Piece> {
    const next = tokens[to]?.text ?? '';
    const afterNext = tokens[to + 1]?.text ?? '';
    const hasNumber = /^\d/.test(next);
    for (const [i, { subject, isGuess }] of listSubjectCandidates(
      span,
      hasNumber,
      this.#codes,
      this.#shortForms,
    ).entries()) {
      const isCourse =
        hasNumber &&
        (this.#codes.hasCourse(subject, next) || this.#codes.hasCourse(subject, next + afterNext));
      if (isGuess && !isCourse) continue;
      const nameCost = span.length > 1 ? costs.longSubject : costs.subject;
      const cost = (isCourse ? costs.subjectOfCourse : nameCost) + i * costs.alternative;
      for (const spelling of this.#codes.listSpellings(subject)) {
        if (spelling === span.join(' ')) continue;
        yield { to, text: spelling.toUpperCase(), cost, namesCourse: isCourse };
      }
    }
  }

  /** Splitting words costs most, so only the first few unknown ones are split. */
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

/** @returns null if nothing is changed or left */
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

/** The plural of a singular word and the other way round. */
function toOtherNumbers(word: string): string[] {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return [];
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`];
  if (word.endsWith('es')) return [word.slice(0, -1), word.slice(0, -2)];
  if (word.endsWith('s')) return [word.slice(0, -1)];
  return word.endsWith('y') ? [`${word.slice(0, -1)}ies`, `${word}s`] : [`${word}s`, `${word}es`];
}
