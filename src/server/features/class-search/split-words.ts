// Splits words that were typed together: 'datastructures' is 'data structures'.

export interface WordList {
  has(word: string): boolean;
  /** Words such as 'of', which are no first or last part. */
  isStopWord(word: string): boolean;
  hasPrefix(prefix: string): boolean;
}

const minLength = 5;
const maxLength = 30;
const maxParts = 4;
const minWord = 3;
const minPrefix = 4;
/** The last part may be half typed. */
const minLastPrefix = 3;

/** Finds the split into the fewest known words. Long parts may be beginnings of words. */
export function splitWord(word: string, words: WordList): string[] | null {
  if (word.length < minLength || word.length > maxLength) return null;
  const isPart = (start: number, end: number): boolean => {
    const part = word.slice(start, end);
    const isLast = end === word.length;
    if (start > 0 && !isLast && words.isStopWord(part)) return true;
    if (part.length >= minWord && words.has(part)) return true;
    return part.length >= (isLast ? minLastPrefix : minPrefix) && words.hasPrefix(part);
  };
  /** The best split of the first letters of the word, by their number (dynamic programming). */
  const splits: string[][] = [[]];
  for (let end = 1; end <= word.length; end++) {
    for (let start = 0; start < end; start++) {
      const split = splits[start];
      const fewestParts = splits[end]?.length ?? maxParts + 1;
      if (!split || split.length + 1 >= fewestParts || end - start === word.length) continue;
      if (isPart(start, end)) splits[end] = [...split, word.slice(start, end)];
    }
  }
  return splits[word.length] ?? null;
}
