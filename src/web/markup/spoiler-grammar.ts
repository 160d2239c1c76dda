// The spoilers of a line or a table cell. The parser passes a part of the message to the parsers of its inlines, but what is a
// spoiler depends on the whole message, so it is found before.
import type { Tree } from '@lezer/common';
import type { InlineParser, MarkdownParser } from '@lezer/markdown';
import { findSpoilers, type Spoiler } from '#contract/spoilers.ts';

let currentSpoilers: readonly Spoiler[] = [];

/** Parses the part of the message between the two offsets. */
export function parsePart(
  parser: MarkdownParser,
  source: string,
  from = 0,
  to = source.length,
): Tree {
  currentSpoilers = findSpoilers(source);
  // The empty lines keep the places in the message.
  return parser.parse('\n'.repeat(from) + source.slice(from, to));
}

/** Where the spoiler that begins at this place of the message ends, or -1. */
export function findSpoilerEnd(from: number): number {
  return currentSpoilers.find((current) => current.from === from)?.to ?? -1;
}

export function hasSpoiler({ from, to }: { from: number; to: number }): boolean {
  return currentSpoilers.some((current) => current.from >= from && current.to <= to);
}

export const spoiler: InlineParser = {
  name: 'Spoiler',
  before: 'Escape',
  parse(context, _, pos) {
    const end = findSpoilerEnd(pos);
    if (end < 0 || end > context.end) return -1;
    const content = context.parser.parseInline(context.slice(pos + 2, end - 2), pos + 2);
    const open = context.elt('SpoilerMark', pos, pos + 2);
    const close = context.elt('SpoilerMark', end - 2, end);
    return context.addElement(context.elt('Spoiler', pos, end, [open, ...content, close]));
  },
};
