// Decides which messages match a search, on both database engines. The word index only finds candidates.
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
  // A repeated phrase would cost time and change nothing.
  const phrasesByKey = new Map(phrases.map((phrase) => [toPhraseKey(phrase), phrase]));
  return [...phrasesByKey.values()];
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

/** Checks quickly, before a text is split into words. If the result is false, the text may still lack a phrase. */
export function hasMissingPhrase(text: string, phrases: readonly Phrase[]): boolean {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const foldedText = isAscii ? text.toLowerCase().replace(/['`]/g, '') : foldText(text);
  return phrases.some((phrase) => phrase.some((word) => !foldedText.includes(word.text)));
}

/** A text and what the search for each phrase needs, computed once. */
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
  const [firstWord, ...nextWords] = phrase;
  const word = words.tokens[index];
  if (!firstWord || !word) return null;
  const isFirst = (token: Token) =>
    nextWords.length > 0 ? token.text === firstWord.text : token.text.startsWith(firstWord.text);
  const first = isFirst(word) ? word : words.endings[index]?.find(isFirst);
  if (!first) return null;
  let last = first;
  let lastWord = firstWord;
  for (const [n, nextWord] of nextWords.entries()) {
    const token = words.tokens[index + n + 1];
    if (!token) return null;
    const isLast = n === nextWords.length - 1;
    if (isLast ? !token.text.startsWith(nextWord.text) : token.text !== nextWord.text) return null;
    if (!words.pairs[index + n + 1] && isPair(lastWord, nextWord)) return null;
    last = token;
    lastWord = nextWord;
  }
  const isWhole = last.text === lastWord.text;
  const end = isWhole ? last.end : findPrefixEnd(words.text, last, lastWord.text.length);
  return [first.start, end + countAccents(words.text, end)];
}

/** Counts the accents that follow their letter as separate characters. */
function countAccents(text: string, offset: number): number {
  return /^\p{M}*/u.exec(text.slice(offset, offset + 16))?.[0].length ?? 0;
}

function mergeMarks(marks: Mark[]): Mark[] {
  const mergedMarks: Mark[] = [];
  for (const [start, end] of marks.toSorted((first, second) => first[0] - second[0])) {
    const last = mergedMarks.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else mergedMarks.push([start, end]);
  }
  return mergedMarks;
}

/** The version of the index. Increase it with each change of `toIndexTerms` or of the form of the rows. */
export const indexVersion = '3';

/** Only this many characters of a word are indexed, which bounds the size of the index. */
const maxTermLength = 32;

/** The index terms of a text. A text without spaces is indexed by pairs of characters. */
export function toIndexTerms(text: string): Set<string> {
  const textWithoutMentions = replaceMentionsWithSpaces(text);
  const words = tokenize(textWithoutMentions);
  const terms = new Set<string>();
  for (const [n, word] of words.entries()) {
    for (const token of [word, ...toEndings(textWithoutMentions, word)]) {
      terms.add(toTerm(token, words[n + 1]));
    }
  }
  return terms;
}

/** @returns terms of the query: for each of them, every matching text has an index term that begins with it */
export function toQueryTerms(phrases: readonly Phrase[]): string[] {
  const terms = phrases.flatMap((phrase) => phrase.map((word, n) => toTerm(word, phrase[n + 1])));
  return [...new Set(terms)];
}

function toTerm(word: Token, nextWord: Token | undefined): string {
  const term = isPair(word, nextWord) ? word.text + (nextWord?.text ?? '') : word.text;
  return term.slice(0, maxTermLength).toWellFormed();
}

/** Tells whether the words are two adjacent characters of a script without spaces. */
function isPair(word: Token | undefined, nextWord: Token | undefined): boolean {
  return word !== undefined && nextWord?.joined === true && isAlone(word) && isAlone(nextWord);
}
