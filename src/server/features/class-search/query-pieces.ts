// Reads a query as pieces. A piece is one meaning of some words of the query: the words as they were typed, with a typo, joined
// or split, a short form, a course code, days or a time. Its cost says how unlikely that meaning is.
import { toTerms, tokenize, type Token } from '#server/base/tokenizer.ts';
import type { ClassDictionaries } from './class-dictionaries.ts';
import { codeScores } from './ranking.ts';
import { parseDays, parseMeetingTime, type TimeRange } from './meeting-times.ts';
import type { ShortForms } from './short-forms.ts';
import { listAbbreviations } from './subject-abbreviations.ts';
import type { Term } from './term-dictionary.ts';

/** What classes must have, with the indexed terms that match it. */
export interface QueryWord {
  kind: 'text' | 'code' | 'time';
  text: string;
  prefix: boolean;
  typos: number;
  expansions: readonly Expansion[];
  /** How often classes have the word. */
  postingCount: number;
}

interface Expansion {
  term: Term;
  /** False if the word is only a prefix of this term. */
  isWhole: boolean;
}

export interface Piece {
  /** The tokens that the piece reads, up to `to` (exclusive). */
  from: number;
  to: number;
  /** A class must have all of them. */
  words: readonly QueryWord[];
  cost: number;
  /** What the piece adds to the score of a class. */
  score: number;
  /** How the search results show the piece. Null if it is shown as typed. */
  shown: string | null;
  /** The results show a word of the class that begins with `shown`. */
  isStem?: boolean;
  /** The piece is a subject, with a course number from this token on if there is one. */
  code?: { numberFrom: number };
  /** The piece leaves out a word that classes should have. */
  isLeftOut?: boolean;
}

const maxTokens = 16;
const maxSpan = 4;
const maxPiecesPerToken = 24;
const stopWords = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'or', 'the', 'to', 'with']);
export const isStopWord = (word: string): boolean => stopWords.has(word);
/** The word 'section' next to a number may be missing, and it may be half typed. */
const sectionWord = /^sec(t(i(on?)?)?)?$/;
/** The shortest words that can have one typo, and two. Shorter words have too many neighbors. */
const lengthForOneTypo = 4;
const lengthForTwoTypos = 8;
const maxLength = 40;

const costs = {
  lastStopWord: 1,
  ignored: 6,
  guessedCourse: 6,
  days: 7,
  time: 7,
  joined: 8,
  fullForm: 10,
  stem: 10,
  /** A subject of several words, such as 'poli sci', explains more of the query. */
  longSubject: 12,
  subject: 18,
  /** Letters that are a short form begin a word: 'os' begins 'Osteology'. */
  beginning: 20,
  typo: 20,
  /** A class that has all words is preferred. */
  leftOut: 1000,
  /** The extra cost of each later alternative of the same kind. */
  alternative: 1.5,
};

export const readTokens = (text: string): Token[] => tokenize(text).slice(0, maxTokens);

export class QueryPieces {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly #dictionaries: ClassDictionaries;
  readonly #shortForms: ShortForms;
  /** The pieces that begin at each token. */
  readonly #pieces: Piece[][];
  readonly #words = new Map<string, QueryWord>();
  /** The tokens of a short form: the whole query, 'em', or 'e' and 'm'. */
  readonly #shortFormTokens = new Set<number>();
  readonly #areInitials: boolean;
  readonly #hasOnlyStopWords: boolean;

  constructor(dictionaries: ClassDictionaries, shortForms: ShortForms, text: string) {
    const tokens = readTokens(text);
    this.text = text;
    this.tokens = tokens;
    this.#dictionaries = dictionaries;
    this.#shortForms = shortForms;
    this.#pieces = tokens.map(() => []);
    if (tokens.length > 1) this.#noteShortForm(0, tokens.length);
    for (const [from, { text: word }] of tokens.entries()) {
      if (word.length <= 2) this.#noteShortForm(from, from + 3 - word.length);
    }
    this.#areInitials = tokens.every((token) => token.text.length === 1);
    this.#hasOnlyStopWords = tokens.every((token) => isStopWord(token.text));
  }

  /** Notes the tokens if their letters together are a short form. */
  #noteShortForm(from: number, to: number): void {
    const letters = this.tokens.slice(from, to).map((token) => token.text);
    if (this.#shortForms.listFullForms(letters.join('')).length === 0) return;
    for (let token = from; token < to; token++) this.#shortFormTokens.add(token);
  }

  list(): Piece[] {
    return this.#pieces.flat();
  }

  addExact(): void {
    for (const from of this.tokens.keys()) {
      this.#addTyped(from);
      this.#addMissing(from);
      this.#addOtherForms(from);
      const end = Math.min(this.tokens.length, from + maxSpan);
      for (let to = from + 1; to <= end; to++) this.#addSpan(from, to);
    }
  }

  addTypos(): void {
    for (const [from, { text }] of this.tokens.entries()) {
      for (let typos = 1; typos <= countAllowedTypos(text); typos++) {
        const word = this.#findWord(text, this.#isPrefix(from), typos);
        this.#add(from, from + 1, typos * costs.typo, { words: [word] });
      }
    }
  }

  /** @param weights how much each token matters */
  addLeftOut(weights: readonly number[]): void {
    for (const [from, weight] of weights.entries()) {
      const cost = costs.leftOut * (0.2 + weight);
      this.#add(from, from + 1, cost, { shown: '', isLeftOut: true });
    }
  }

  #add(from: number, to: number, cost: number, rest: Partial<Piece>): void {
    const pieces = this.#pieces[from];
    const words = rest.words ?? [];
    if (!pieces || words.some(({ postingCount }) => postingCount === 0)) return;
    if (pieces.length === maxPiecesPerToken && !rest.isLeftOut) return;
    pieces.push({ from, to, cost, words, score: 0, shown: null, ...rest });
  }

  #addTyped(from: number): void {
    const { text } = this.tokens[from] as Token;
    const word = this.#findWord(text, this.#isPrefix(from));
    if (!this.#shortFormTokens.has(from) || isNumber(text)) {
      this.#add(from, from + 1, 0, { words: [word] });
      return;
    }
    if (!this.#areInitials) this.#add(from, from + 1, 0, { words: [this.#findWord(text, false)] });
    this.#add(from, from + 1, costs.beginning, { words: [word] });
  }

  /** Adds pieces without words, for words that classes can miss. */
  #addMissing(from: number): void {
    const { text, joined } = this.tokens[from] as Token;
    const isLast = from === this.tokens.length - 1;
    const isNextToNumber =
      isNumber(this.tokens[from + 1]?.text) || (isLast && isNumber(this.tokens[from - 1]?.text));
    if (sectionWord.test(text) && isNextToNumber) this.#add(from, from + 1, 0, {});
    else if (this.#hasOnlyStopWords) return;
    else if (isStopWord(text) && !joined && !this.#areInitials) {
      this.#add(from, from + 1, isLast ? costs.lastStopWord : 0, {});
    } else if (this.#shortForms.isIgnored(text)) {
      this.#add(from, from + 1, costs.ignored, { shown: '' });
    }
  }

  #addOtherForms(from: number): void {
    const { text } = this.tokens[from] as Token;
    const stem = /^[a-z]{4,}$/.test(text) ? text.replace(/(ies|es|s|y)$/, '') : text;
    if (stem !== text && stem.length > 2) {
      this.#add(from, from + 1, costs.stem, {
        words: [this.#findWord(stem, true)],
        shown: stem,
        isStem: true,
      });
    }
    const time = parseMeetingTime(this.text, this.tokens, from);
    if (!time) return;
    this.#add(from, from + time.length, costs.time, {
      words: [this.#findTimes(time.begins)],
      shown: time.label,
    });
  }

  /** Adds pieces that read several tokens together. */
  #addSpan(from: number, to: number): void {
    const span = this.tokens.slice(from, to).map((token) => token.text);
    const joinedText = span.join('');
    if (joinedText.length > maxLength) return;
    const days = parseDays(joinedText).join(' ');
    if (days !== '') this.#addWords(from, to, costs.days, days);
    if (span.length > 1 && joinedText.length > 2 && /^\p{L}+$/u.test(joinedText)) {
      const word = this.#findWord(joinedText, joinedText.length > 3);
      this.#add(from, to, costs.joined, { words: [word], shown: joinedText });
    }
    const fullForms = this.#shortForms.listFullForms(joinedText);
    for (const [i, fullForm] of fullForms.entries()) {
      this.#addWords(from, to, costs.fullForm - span.length + i * costs.alternative, fullForm);
    }
    this.#addCodes(from, to, [span, ...fullForms.map(toTerms)]);
  }

  #addWords(from: number, to: number, cost: number, phrase: string): void {
    const words = toTerms(phrase)
      .filter((term) => !isStopWord(term))
      .map((term) => this.#findWord(term, !isNumber(term)));
    this.#add(from, to, cost, { words, shown: phrase });
  }

  /** Adds the subjects that this span means, alone and with the course number after it. */
  #addCodes(from: number, to: number, names: readonly (readonly string[])[]): void {
    const typed = names[0]?.join('') ?? '';
    const codes = names.flatMap((name) => this.#shortForms.listSubjectCodes(name.join('')));
    const subjects = new Set([typed, ...codes.map((code) => toTerms(code).join(''))]);
    const baseCost = to - from > 1 ? costs.longSubject : costs.subject;
    if (to - from === this.tokens.length) this.#addTypedCode(from, to, typed, codeScores.subject);
    for (const [i, subject] of [...subjects].entries()) {
      const words = [this.#findCode(subject)];
      const cost = baseCost + i * costs.alternative;
      this.#add(from, to, cost, { words, code: { numberFrom: to } });
      this.#addCourses(from, to, subject, 0, codeScores.namedCourse);
    }
    for (const { end, course } of this.#listCourses(to, typed)) {
      this.#addTypedCode(from, end, course, codeScores.course);
    }
    // The name may have a typo: 'biolopy 10' is BIOL 10.
    const guesses = names.flatMap((name) =>
      listAbbreviations(name.filter((word) => !isStopWord(word))),
    );
    for (const subject of guesses) {
      if (!subjects.has(subject)) this.#addCourses(from, to, subject, costs.guessedCourse);
    }
  }

  #addCourses(from: number, to: number, subject: string, cost: number, score = 0): void {
    for (const { end, course } of this.#listCourses(to, subject)) {
      const words = [this.#findCode(course)];
      this.#add(from, end, cost, { words, score, code: { numberFrom: to } });
    }
  }

  /** Lists the courses of the subject whose number begins at this token. */
  #listCourses(numberFrom: number, subject: string): { end: number; course: string }[] {
    const { codes } = this.#dictionaries;
    if (!isNumber(this.tokens[numberFrom]?.text) || !codes.get(subject)) return [];
    const numbers = this.tokens.slice(numberFrom, numberFrom + maxSpan).map(({ text }) => text);
    return numbers
      .map((_, i) => ({
        end: numberFrom + i + 1,
        course: `${subject} ${numbers.slice(0, i + 1).join('')}`,
      }))
      .filter(({ course }) => codes.get(course));
  }

  /** Adds the code of classes that also have its words as they are typed. */
  #addTypedCode(from: number, to: number, code: string, score: number): void {
    const typedWords = this.tokens
      .slice(from, to)
      .map(({ text }, i) => this.#findWord(text, this.#isPrefix(from + i)));
    this.#add(from, to, 0, { words: [this.#findCode(code), ...typedWords], score });
  }

  /** A course number is complete when another word follows. */
  #isPrefix(token: number): boolean {
    const text = this.tokens[token]?.text ?? '';
    return token === this.tokens.length - 1 || (!isNumber(text) && text.length > 1);
  }

  #findWord(text: string, prefix: boolean, typos = 0): QueryWord {
    return this.#cacheWord({ kind: 'text', text, prefix, typos }, (dictionaries) => {
      const { words } = dictionaries;
      if (typos > 0) {
        return words.fuzzy(text, typos, prefix).filter((match) => match.typos === typos);
      }
      const terms = prefix ? words.listByPrefix(text) : [words.get(text) ?? []].flat();
      return terms.map((term) => ({ term, isWhole: term.text === text }));
    });
  }

  #findCode(code: string): QueryWord {
    return this.#cacheWord({ kind: 'code', text: code, ...asWhole }, ({ codes }) => {
      const term = codes.get(code);
      return term ? [{ term, isWhole: true }] : [];
    });
  }

  #findTimes({ from, to }: TimeRange): QueryWord {
    const text = `${formatTime(from)} to ${formatTime(to)}`;
    return this.#cacheWord({ kind: 'time', text, ...asWhole }, ({ times }) =>
      times
        .listBetween(formatTime(from), formatTime(to + 1))
        .map((term) => ({ term, isWhole: true })),
    );
  }

  #cacheWord(
    word: Omit<QueryWord, 'expansions' | 'postingCount'>,
    expand: (dictionaries: ClassDictionaries) => Expansion[],
  ): QueryWord {
    const key = `${word.kind} ${word.text} ${word.prefix} ${word.typos}`;
    let cachedWord = this.#words.get(key);
    if (!cachedWord) {
      const expansions = expand(this.#dictionaries);
      const postingCount = expansions.reduce((sum, { term }) => sum + term.postings.length / 2, 0);
      cachedWord = { ...word, expansions, postingCount };
      this.#words.set(key, cachedWord);
    }
    return cachedWord;
  }
}

const asWhole = { prefix: false, typos: 0 };
const isNumber = (text = '') => /^\d/.test(text);

function countAllowedTypos(word: string): number {
  if (isNumber(word) || word.length < lengthForOneTypo || word.length > maxLength) return 0;
  return word.length < lengthForTwoTypos ? 1 : 2;
}

/** @param minutes after midnight */
function formatTime(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}
