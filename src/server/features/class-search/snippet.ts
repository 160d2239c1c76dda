// Cuts a text to the words around the matches and highlights them.
import type { Snippet } from '#contract/class-search.ts';
import {
  findMatches,
  tagRanges,
  type Matches,
  type HighlightTerm,
  type Tags,
} from './highlight.ts';
import type { SearchedField } from './class-terms.ts';

export interface Snippets {
  /** The number of words of each field's snippet. */
  wordsOf: ReadonlyMap<SearchedField, number>;
  /** Marks each end at which the text was cut. */
  ellipsis: string;
}

export function snippet(
  text: string,
  terms: readonly HighlightTerm[],
  { tags, length, ellipsis }: { tags: Tags; length: number; ellipsis: string },
): Snippet {
  const matches = findMatches(text, terms);
  const { tokens, ranges, level } = matches;
  if (tokens.length <= length) return { value: tagRanges(text, ranges, tags), matchLevel: level };
  const first = bestStart(matches, length);
  const next = first + length;
  // The text keeps its own beginning and end, for example a bracket before the first word.
  const from = first === 0 ? 0 : (tokens[first]?.start ?? 0);
  const to = next >= tokens.length ? text.length : (tokens[next - 1]?.end ?? text.length);
  const part = tagRanges(text, ranges, tags, from, to);
  return {
    value: `${from > 0 ? ellipsis : ''}${part}${to < text.length ? ellipsis : ''}`,
    matchLevel: level,
  };
}

/** The first of the `length` words that contain the most matches. */
function bestStart({ tokens, ranges }: Matches, length: number): number {
  const matched = tokens.map((token) =>
    ranges.some(({ start, end }) => start <= token.start && token.start < end) ? 1 : 0,
  );
  let count = 0;
  let best = { start: 0, count: 0 };
  for (const [at, isMatch] of matched.entries()) {
    count += isMatch - (at < length ? 0 : (matched[at - length] ?? 0));
    const start = Math.max(0, at - length + 1);
    if (count > best.count) best = { start, count };
  }
  // Shows as many words before the matches as after them.
  const firstMatch = matched.indexOf(1, best.start);
  const lastMatch = matched.lastIndexOf(1, best.start + length - 1);
  if (firstMatch < 0) return 0;
  const free = length - (lastMatch - firstMatch + 1);
  const start = firstMatch - Math.floor(free / 2);
  return Math.min(Math.max(0, start), tokens.length - length);
}
