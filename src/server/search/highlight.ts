// Wraps the matched parts of a text in tags. The text is not escaped: the reader must escape it.
import type { Highlight } from '#contract/search.ts';
import { otherNumeral } from './numerals.ts';
import { prefixEnd, wordsOf, type Word } from './words.ts';

/** One query word with everything that it matches. */
export interface SoughtWord {
  text: string;
  /** The word also matches as a prefix. */
  prefix: boolean;
  /** Words that match with a typo. */
  near: ReadonlySet<string>;
}

export interface Tags {
  pre: string;
  post: string;
}

interface Range {
  start: number;
  end: number;
}

export function highlight(text: string, sought: readonly SoughtWord[], tags: Tags): Highlight {
  const found = new Set<string>();
  const ranges: Range[] = [];
  const words = wordsOf(text);
  for (const word of words) {
    let end = word.start;
    for (const one of sought) {
      const reached = endOfMatch(text, word, one);
      if (reached === null) continue;
      found.add(one.text);
      end = Math.max(end, reached);
    }
    if (end > word.start) addRange(ranges, { start: word.start, end });
  }
  const wanted = new Set(sought.map((one) => one.text));
  const all = found.size === wanted.size ? 'full' : 'partial';
  const covered = words.every((word) =>
    ranges.some(({ start, end }) => start <= word.start && word.end <= end),
  );
  return {
    value: tagged(text, ranges, tags),
    matchLevel: found.size === 0 ? 'none' : all,
    ...(found.size > 0 ? { fullyHighlighted: covered } : {}),
    matchedWords: [...wanted].filter((word) => found.has(word)),
  };
}

/** The end of the match within the text, or null if the word does not match. */
function endOfMatch(text: string, word: Word, sought: SoughtWord): number | null {
  const same = word.text === sought.text || otherNumeral(word.text) === sought.text;
  if (same || sought.near.has(word.text)) return word.end;
  if (!sought.prefix || !word.text.startsWith(sought.text)) return null;
  return prefixEnd(text, word, sought.text.length);
}

function addRange(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last && last.end === range.start) last.end = range.end;
  else ranges.push(range);
}

function tagged(text: string, ranges: readonly Range[], { pre, post }: Tags): string {
  let value = '';
  let at = 0;
  for (const { start, end } of ranges) {
    value += `${text.slice(at, start)}${pre}${text.slice(start, end)}${post}`;
    at = end;
  }
  return value + text.slice(at);
}
