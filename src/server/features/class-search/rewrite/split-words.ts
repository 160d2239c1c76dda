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
const minPrefix = 4;
/** The last part may be half typed. */
const minLastPrefix = 3;

/** Finds the split into the fewest known words. Long parts may be beginnings of words. */
export function splitWord(word: string, words: WordList): string[] | null {
  if (word.length < minLength || word.length > maxLength) return null;
  /** The best split of the first letters of the word, by their number (dynamic programming). */
  const bestSplits: (Split | null)[] = [{ parts: [], prefixes: 0 }];
  for (let end = 1; end <= word.length; end++) {
    let bestSplit: Split | null = null;
    for (let start = Math.max(0, end - maxLength); start < end; start++) {
      const startSplit = bestSplits[start];
      if (
        !startSplit ||
        startSplit.parts.length === maxParts ||
        (start === 0 && end === word.length)
      ) {
        continue;
      }
      const part = word.slice(start, end);
      const isLast = end === word.length;
      const isWord = words.has(part) || (start > 0 && !isLast && words.isStopWord(part));
      const isPrefix = part.length >= (isLast ? minLastPrefix : minPrefix) && words.hasPrefix(part);
      if (!isWord && !isPrefix) continue;
      const split = {
        parts: [...startSplit.parts, part],
        prefixes: startSplit.prefixes + (isWord ? 0 : 1),
      };
      if (!bestSplit || isBetter(split, bestSplit)) bestSplit = split;
    }
    bestSplits[end] = bestSplit;
  }
  return bestSplits[word.length]?.parts ?? null;
}

interface Split {
  parts: string[];
  prefixes: number;
}

function isBetter(a: Split, b: Split): boolean {
  if (a.parts.length !== b.parts.length) return a.parts.length < b.parts.length;
  return a.prefixes < b.prefixes;
}
