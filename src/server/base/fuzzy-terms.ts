// Fuzzy matching: an extra, missing or wrong letter, or two swapped letters.

export interface FuzzyMatch<Term> {
  term: Term;
  typos: number;
  /** False if only a prefix of the term matches. */
  isWhole: boolean;
}

type Terms = readonly { readonly text: string }[];

/**
 * Walks the sorted terms as a trie and fills the edit distance table row by row. Skips a branch when no term
 * in it can match. With two typos, the first letter must be right or swapped: this keeps the walk short.
 */
export function findFuzzyTerms<Term extends { readonly text: string }>(
  sortedTerms: readonly Term[],
  word: string,
  maxTypos: number,
  prefix: boolean,
): FuzzyMatch<Term>[] {
  const matches: FuzzyMatch<Term>[] = [];
  const width = word.length + 1;
  const maxDepth = word.length + maxTypos;
  const rows = Array.from({ length: maxDepth + 1 }, () => new Uint8Array(width));
  rows[0]?.set(Array.from({ length: width }, (_, column) => column));
  const firstCode = word.charCodeAt(0);
  const secondCode = word.charCodeAt(1);

  /** Precondition: the terms from `from` up to `to` (exclusive) share their first `depth` letters. */
  function walk(from: number, to: number, depth: number): void {
    const typos = rows[depth]?.[width - 1] ?? Infinity;
    const isMatch = typos > 0 && typos <= maxTypos;
    let start = from;
    const first = sortedTerms[start];
    if (first?.text.length === depth) {
      if (isMatch) matches.push({ term: first, typos, isWhole: true });
      start += 1;
    }
    if (prefix && isMatch && first && hasSameEnding(word, first.text, depth)) {
      for (const term of sortedTerms.slice(start, to)) {
        matches.push({ term, typos, isWhole: false });
      }
    }
    if (depth === maxDepth) return;
    while (start < to) {
      const code = getLetter(sortedTerms, start, depth);
      const end = findLetterEnd(sortedTerms, { from: start, to }, depth);
      const begins = depth > 0 || maxTypos < 2 || code === firstCode || code === secondCode;
      if (
        begins &&
        fillRow(depth + 1, code, getLetter(sortedTerms, start, depth - 1)) <= maxTypos
      ) {
        walk(start, end, depth + 1);
      }
      start = end;
    }
  }

  /** @returns the minimum of the row */
  function fillRow(depth: number, code: number, codeBefore: number): number {
    const row = rows[depth] ?? new Uint8Array();
    const rowAbove = rows[depth - 1] ?? row;
    const rowTwoAbove = rows[depth - 2];
    let minimum = depth;
    row[0] = depth;
    for (let column = 1; column < width; column++) {
      const wantedCode = word.charCodeAt(column - 1);
      const leftValue = row[column - 1] ?? 0;
      const diagonal = rowAbove[column - 1] ?? 0;
      let value = Math.min(leftValue, rowAbove[column] ?? 0) + 1;
      value = Math.min(value, wantedCode === code ? diagonal : diagonal + 1);
      if (
        rowTwoAbove &&
        column > 1 &&
        codeBefore === wantedCode &&
        word.charCodeAt(column - 2) === code
      ) {
        value = Math.min(value, (rowTwoAbove[column - 2] ?? 0) + 1);
      }
      row[column] = value;
      if (value < minimum) minimum = value;
    }
    return minimum;
  }

  if (sortedTerms.length > 0) walk(0, sortedTerms.length, 0);
  return matches;
}

/** Requires the same ending. Otherwise `desi` would match every word that begins with `des`. */
function hasSameEnding(word: string, other: string, length: number): boolean {
  const last = word.at(-1);
  const secondLast = word.at(-2);
  if (other[length - 1] === last) return true;
  return other[length - 1] === secondLast && other[length - 2] === last;
}

function getLetter(terms: Terms, index: number, depth: number): number {
  return terms[index]?.text.charCodeAt(depth) ?? 0;
}

/** Finds the end of the terms that share the letter of the first one at this depth, by binary search. */
function findLetterEnd(
  terms: Terms,
  { from, to }: { from: number; to: number },
  depth: number,
): number {
  const code = getLetter(terms, from, depth);
  if (getLetter(terms, to - 1, depth) === code) return to;
  let low = from;
  let high = to - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (getLetter(terms, middle, depth) === code) low = middle + 1;
    else high = middle;
  }
  return low;
}
