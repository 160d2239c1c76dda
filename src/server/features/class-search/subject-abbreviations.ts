// Codes that a subject's name may have: BIOL of 'biology', CS and COMPSCI of 'computer science'.

const maxPartLength = 4;
const minPrefix = 3;
const maxPrefix = 8;

/** Beginnings of one word, or of each of several words: `biol`, `compsci`, `cs`. */
export function listAbbreviations(words: readonly string[]): string[] {
  const [first = '', second = '', third = ''] = words;
  if (words.length === 1) return listBeginnings(first, maxPrefix).slice(minPrefix - 1);
  if (words.length === 2) {
    const ends = listBeginnings(second, maxPartLength);
    return listBeginnings(first, maxPartLength).flatMap((start) => ends.map((end) => start + end));
  }
  return words.length === 3 ? [`${first[0]}${second[0]}${third[0]}`] : [];
}

function listBeginnings(word: string, maxLength: number): string[] {
  return Array.from({ length: Math.min(maxLength, word.length) }, (_, i) => word.slice(0, i + 1));
}
