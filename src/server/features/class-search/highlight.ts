// Wraps the matched parts of a text in tags. The text is not escaped: the reader must escape it.
import type { Highlight } from '#contract/class-search.ts';
import { toOtherNumeral, findPrefixEnd, tokenize, type Token } from '#server/base/tokenizer.ts';

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

export function highlight(text: string, terms: readonly HighlightTerm[], tags: Tags): Highlight {
  const found = new Set<string>();
  const ranges: Range[] = [];
  for (const token of tokenize(text)) {
    let end = token.start;
    for (const term of terms) {
      const reached = endOfMatch(text, token, term);
      if (reached === null) continue;
      found.add(term.text);
      end = Math.max(end, reached);
    }
    if (end > token.start) addRange(ranges, { start: token.start, end });
  }
  return {
    value: tagRanges(text, ranges, tags),
    matchLevel: toMatchLevel(found.size, terms.length),
    matchedWords: terms.map((term) => term.text).filter((word) => found.has(word)),
  };
}

function toMatchLevel(foundCount: number, termCount: number): Highlight['matchLevel'] {
  if (foundCount === 0) return 'none';
  return foundCount < termCount ? 'partial' : 'full';
}

/** The end of the match within the text, or null if the word does not match. */
function endOfMatch(text: string, token: Token, term: HighlightTerm): number | null {
  const same = token.text === term.text || toOtherNumeral(token.text) === term.text;
  if (same || term.fuzzy.has(token.text)) return token.end;
  if (!term.prefix || !token.text.startsWith(term.text)) return null;
  return findPrefixEnd(text, token, term.text.length);
}

function addRange(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last && last.end === range.start) last.end = range.end;
  else ranges.push(range);
}

function tagRanges(text: string, ranges: readonly Range[], { pre, post }: Tags): string {
  let value = '';
  let last = 0;
  for (const { start, end } of ranges) {
    value += `${text.slice(last, start)}${pre}${text.slice(start, end)}${post}`;
    last = end;
  }
  return value + text.slice(last);
}
