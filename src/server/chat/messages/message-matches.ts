// Decides which messages match a search. Both engines use this definition, and the index only finds candidates
// for it.
import { replaceMentionsWithSpaces } from '#contract/mentions.ts';
import {
  toEndings,
  foldText,
  isAlone,
  findPrefixEnd,
  tokenize,
  type Token,
} from '#server/base/tokenizer.ts';

/** Adjacent words of the query, such as the characters of a Chinese word. They must be adjacent in the text. */
type Phrase = readonly Token[];

/** The offsets of a matched part of the text. The end is exclusive. */
export type Mark = [start: number, end: number];

/** @returns the phrases of a query, which a message must all contain; empty if the query has no word */
export function parseQuery(query: string): Phrase[] {
  const phrases: Token[][] = [];
  for (const word of tokenize(query)) {
    if (word.joined) phrases.at(-1)?.push(word);
    else phrases.push([word]);
  }
  // A repeated word costs time and changes nothing.
  const distinct = new Map(phrases.map((phrase) => [toPhraseKey(phrase), phrase]));
  return [...distinct.values()];
}

function toPhraseKey(phrase: Phrase): string {
  return phrase.map(({ text }) => text).join('\n');
}

/** @returns the matched parts in order, without overlaps or mentions; null if the text lacks a phrase */
export function findMarks(text: string, phrases: readonly Phrase[]): Mark[] | null {
  const words = splitText(replaceMentionsWithSpaces(text));
  const marks: Mark[] = [];
  for (const phrase of phrases) {
    const countBefore = marks.length;
    for (let index = 0; index + phrase.length <= words.tokens.length; index++) {
      const mark = findMark(words, index, phrase);
      if (mark) marks.push(mark);
    }
    if (marks.length === countBefore) return null;
  }
  return mergeMarks(marks);
}

/** A fast check before a text is split into words. If it is false, the text may still lack a phrase. */
export function hasMissingPhrase(text: string, phrases: readonly Phrase[]): boolean {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const plain = isAscii ? text.toLowerCase().replace(/['`]/g, '') : foldText(text);
  return phrases.some((phrase) => phrase.some((word) => !plain.includes(word.text)));
}

/** A text and everything that each phrase needs of it, computed once. */
interface SplitText {
  text: string;
  tokens: readonly Token[];
  /** The endings after the apostrophes of each token. */
  endings: readonly (readonly Token[])[];
  /** Whether each token and the token before it are adjacent characters of a script without spaces. */
  pairs: readonly boolean[];
}

function splitText(text: string): SplitText {
  const tokens = tokenize(text);
  return {
    text,
    tokens,
    endings: tokens.map((token) => toEndings(text, token)),
    pairs: tokens.map((token, n) => isPair(tokens[n - 1], token)),
  };
}

/** @returns the mark if the phrase begins with this word or with an ending of it, or null */
function findMark(words: SplitText, index: number, phrase: Phrase): Mark | null {
  const [sought, ...nextWords] = phrase;
  const word = words.tokens[index];
  if (!sought || !word) return null;
  const isFirst = (token: Token) =>
    nextWords.length > 0 ? token.text === sought.text : token.text.startsWith(sought.text);
  const first = isFirst(word) ? word : words.endings[index]?.find(isFirst);
  if (!first) return null;
  let last = first;
  let lastSought = sought;
  for (const [n, next] of nextWords.entries()) {
    const token = words.tokens[index + n + 1];
    if (!token) return null;
    const isLast = n === nextWords.length - 1;
    if (isLast ? !token.text.startsWith(next.text) : token.text !== next.text) return null;
    if (!words.pairs[index + n + 1] && isPair(lastSought, next)) return null;
    last = token;
    lastSought = next;
  }
  const isWhole = last.text === lastSought.text;
  const end = isWhole ? last.end : findPrefixEnd(words.text, last, lastSought.text.length);
  return [first.start, end + countAccents(words.text, end)];
}

/** The length of the accents that follow their letter as separate characters. */
function countAccents(text: string, offset: number): number {
  return /^\p{M}*/u.exec(text.slice(offset, offset + 16))?.[0].length ?? 0;
}

function mergeMarks(marks: Mark[]): Mark[] {
  const merged: Mark[] = [];
  for (const [start, end] of marks.toSorted((first, second) => first[0] - second[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Increase it with each change of `toIndexTerms` or of the rows. */
export const indexVersion = '3';

/** Longer words are indexed by their beginning, which bounds the index. */
const maxTermLength = 32;

/** The index terms of a text. A text without spaces is indexed by pairs of characters. */
export function toIndexTerms(text: string): Set<string> {
  const searched = replaceMentionsWithSpaces(text);
  const words = tokenize(searched);
  const terms = new Set<string>();
  for (const [n, word] of words.entries()) {
    for (const token of [word, ...toEndings(searched, word)]) {
      terms.add(toTerm(token, words[n + 1]));
    }
  }
  return terms;
}

/** Every text that matches has, for each of these, an index term that begins with it. */
export function toQueryTerms(phrases: readonly Phrase[]): string[] {
  const terms = phrases.flatMap((phrase) => phrase.map((word, n) => toTerm(word, phrase[n + 1])));
  return [...new Set(terms)];
}

function toTerm(word: Token, next: Token | undefined): string {
  const term = isPair(word, next) ? word.text + (next?.text ?? '') : word.text;
  return term.slice(0, maxTermLength).toWellFormed();
}

/** Two adjacent characters of a script without spaces. */
function isPair(word: Token | undefined, next: Token | undefined): boolean {
  return word !== undefined && next?.joined === true && isAlone(word) && isAlone(next);
}
