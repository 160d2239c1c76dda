// Fuzzy matching: an extra, missing or wrong letter, or two swapped letters.

export interface FuzzyMatch<Term> {
  term: Term;
  typos: number;
  /** False if only a prefix of the term matches. */
  whole: boolean;
}

/**
 * Walks the sorted terms as a trie and fills the edit distance table row by row. Skips a branch when no term
 * in it can match. With two typos, the first letter must be right or swapped: this keeps the walk short.
 */
export function findFuzzyTerms<Term extends { readonly text: string }>(
  sorted: readonly Term[],
  word: string,
  maxTypos: number,
  prefix: boolean,
): FuzzyMatch<Term>[] {
  const found: FuzzyMatch<Term>[] = [];
  const width = word.length + 1;
  const maxDepth = word.length + maxTypos;
  const rows = Array.from({ length: maxDepth + 1 }, () => new Uint8Array(width));
  rows[0]?.set(Array.from({ length: width }, (_, column) => column));
  const firstCode = word.charCodeAt(0);
  const secondCode = word.charCodeAt(1);
  const letter = (at: number, depth: number) => sorted[at]?.text.charCodeAt(depth) ?? 0;

  /** Precondition: the terms from `from` up to `to` (exclusive) share their first `depth` letters. */
  function walk(from: number, to: number, depth: number): void {
    const typos = rows[depth]?.[width - 1] ?? Infinity;
    let at = from;
    const first = sorted[at];
    if (first?.text.length === depth) {
      if (typos > 0 && typos <= maxTypos) found.push({ term: first, typos, whole: true });
      at += 1;
    }
    if (prefix && typos > 0 && typos <= maxTypos && first && endsAlike(word, first.text, depth)) {
      for (const term of sorted.slice(at, to)) found.push({ term, typos, whole: false });
    }
    if (depth === maxDepth) return;
    while (at < to) {
      const code = letter(at, depth);
      const end = endOfLetter(code, at, to, depth);
      const begins = depth > 0 || maxTypos < 2 || code === firstCode || code === secondCode;
      if (begins && fillRow(depth + 1, code, letter(at, depth - 1)) <= maxTypos) {
        walk(at, end, depth + 1);
      }
      at = end;
    }
  }

  function endOfLetter(code: number, from: number, to: number, depth: number): number {
    if (letter(to - 1, depth) === code) return to;
    let low = from;
    let high = to - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (letter(middle, depth) === code) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @returns the minimum of the row */
  function fillRow(depth: number, code: number, codeBefore: number): number {
    const row = rows[depth] ?? new Uint8Array();
    const above = rows[depth - 1] ?? row;
    const twoAbove = rows[depth - 2];
    let least = depth;
    row[0] = depth;
    for (let column = 1; column < width; column++) {
      const wanted = word.charCodeAt(column - 1);
      const left = row[column - 1] ?? 0;
      const diagonal = above[column - 1] ?? 0;
      let value = Math.min(left, above[column] ?? 0) + 1;
      value = Math.min(value, wanted === code ? diagonal : diagonal + 1);
      if (twoAbove && column > 1 && codeBefore === wanted && word.charCodeAt(column - 2) === code) {
        value = Math.min(value, (twoAbove[column - 2] ?? 0) + 1);
      }
      row[column] = value;
      if (value < least) least = value;
    }
    return least;
  }

  if (sorted.length > 0) walk(0, sorted.length, 0);
  return found;
}

/** Requires the same ending. Otherwise `desi` would match every word that begins with `des`. */
function endsAlike(word: string, other: string, length: number): boolean {
  const last = word.at(-1);
  const before = word.at(-2);
  if (other[length - 1] === last) return true;
  return other[length - 1] === before && other[length - 2] === last;
}
