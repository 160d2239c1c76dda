// Wraps the matched parts of a text in tags. The text is not escaped: the reader must escape it.
import type { Highlight } from '#contract/class-search.ts';
import { otherNumeral, prefixEnd, tokenize, type Token } from '#server/base/tokenizer.ts';

/** One query term with everything that it matches. */
export interface HighlightTerm {
  text: string;
  /** The term also matches as a prefix. */
  prefix: boolean;
  /** Words that match with a typo. */
  fuzzy: ReadonlySet<string>;
}

export interface Tags {
  pre: string;
  post: string;
}

interface Range {
  start: number;
  end: number;
}

/** The query terms in a text. */
export interface Matches {
  tokens: readonly Token[];
  /** The matched parts, in order. Adjacent ones are joined. */
  ranges: readonly Range[];
  /** The query terms that were found. */
  found: ReadonlySet<string>;
  level: Highlight['matchLevel'];
}

export function findMatches(text: string, terms: readonly HighlightTerm[]): Matches {
  const found = new Set<string>();
  const ranges: Range[] = [];
  const tokens = tokenize(text);
  for (const token of tokens) {
    let end = token.start;
    for (const term of terms) {
      const reached = endOfMatch(text, token, term);
      if (reached === null) continue;
      found.add(term.text);
      end = Math.max(end, reached);
    }
    if (end > token.start) addRange(ranges, { start: token.start, end });
  }
  const all = terms.every((term) => found.has(term.text)) ? 'full' : 'partial';
  return { tokens, ranges, found, level: found.size === 0 ? 'none' : all };
}

export function highlight(text: string, terms: readonly HighlightTerm[], tags: Tags): Highlight {
  const { tokens, ranges, found, level } = findMatches(text, terms);
  const covered = tokens.every((token) =>
    ranges.some(({ start, end }) => start <= token.start && token.end <= end),
  );
  return {
    value: tagRanges(text, ranges, tags),
    matchLevel: level,
    ...(found.size > 0 ? { fullyHighlighted: covered } : {}),
    matchedWords: [...new Set(terms.map((term) => term.text))].filter((one) => found.has(one)),
  };
}

/** The end of the match within the text, or null if the word does not match. */
function endOfMatch(text: string, token: Token, term: HighlightTerm): number | null {
  const same = token.text === term.text || otherNumeral(token.text) === term.text;
  if (same || term.fuzzy.has(token.text)) return token.end;
  if (!term.prefix || !token.text.startsWith(term.text)) return null;
  return prefixEnd(text, token, term.text.length);
}

function addRange(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last && last.end === range.start) last.end = range.end;
  else ranges.push(range);
}

/** Tags the ranges of the part of the text from `from` to `to`. */
export function tagRanges(
  text: string,
  ranges: readonly Range[],
  { pre, post }: Tags,
  from = 0,
  to = text.length,
): string {
  let value = '';
  let at = from;
  for (const range of ranges) {
    const start = Math.max(range.start, from);
    const end = Math.min(range.end, to);
    if (start >= end) continue;
    value += `${text.slice(at, start)}${pre}${text.slice(start, end)}${post}`;
    at = end;
  }
  return value + text.slice(at, to);
}
