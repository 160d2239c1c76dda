// The spoilers of a line or a table cell. The parser passes a part of the message to the parsers of its inlines, but what is a
// spoiler depends on the whole message, so it is found before.
import type { SyntaxNode, Tree } from '@lezer/common';
import type { InlineParser, MarkdownParser } from '@lezer/markdown';
import type { Spoiler } from '#contract/spoilers.ts';

const bar = 124;

let currentSpoilers: readonly Spoiler[] = [];

/** Parses the part of the message between the two offsets. */
export function parsePart(
  parser: MarkdownParser,
  source: string,
  spoilers: readonly Spoiler[],
  from = 0,
  to = source.length,
): Tree {
  currentSpoilers = spoilers;
  // An empty line keeps the places in the message.
  const start = from > 0 ? `${' '.repeat(from - 1)}\n` : '';
  return parser.parse(start + source.slice(from, to));
}

/** Where the spoiler that begins at this place of the message ends, or -1. */
export function findSpoilerEnd(from: number): number {
  return currentSpoilers.find((current) => current.from === from)?.to ?? -1;
}

export function listSpoilers({ from, to }: { from: number; to: number }): readonly Spoiler[] {
  return currentSpoilers.filter((current) => current.from < to && current.to > from);
}

/** Whether the parser took the bars of a spoiler for a part of something else, such as code that begins in another line. */
export function missesSpoiler(block: SyntaxNode): boolean {
  let missed = listSpoilers(block).length;
  block.cursor().iterate(({ name }) => {
    if (name === 'Spoiler') missed--;
  });
  return missed > 0;
}

export const spoiler: InlineParser = {
  name: 'Spoiler',
  before: 'Escape',
  parse(context, next, pos) {
    const end = next === bar ? findSpoilerEnd(pos) : -1;
    if (end < 0 || end > context.end) return -1;
    const content = context.parser.parseInline(context.slice(pos + 2, end - 2), pos + 2);
    const open = context.elt('SpoilerMark', pos, pos + 2);
    const close = context.elt('SpoilerMark', end - 2, end);
    return context.addElement(context.elt('Spoiler', pos, end, [open, ...content, close]));
  },
};
