// The markup of messages, for everything that shows one.
import { toMentionLabel, replaceMentionsWithNames } from '#web/mention-names.ts';
import type { Personas } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { createCache } from './cache.ts';
import { markupParser } from './markup-parser.ts';
import type { Block, Piece } from './markup.ts';
import type { TextStructure } from './text-structure.ts';

/** A list renders its messages often, and quotes and summaries need the same texts. */
const maxCached = 1000;

interface Markup {
  blocks: readonly Block[];
  /** The pieces of the text without its marks. */
  pieces: readonly Piece[];
  /** About how many elements its formulas and the colors of its code need. */
  cost: number;
  /** The text is shown differently from how it was typed. Mentions and bare addresses do not count. */
  isMarked: boolean;
}

const cache = createCache<string, Markup>(maxCached);

/** Characters that can be markup or a part of an address, and lines that can be items of a list. */
const markupSigns = /[*_~`[\]\\$<>|@#]|:\/\/|www\.|^[ \t]*(?:[-+]|\d+[.)])[ \t]/im;

/** All that can be hidden, as long as the parser, which knows the spoilers, has not loaded. */
export const possibleSpoilers = /\|\|[^]*\|\|/;

export function canHaveMarkup(text: string): boolean {
  return markupSigns.test(text);
}

/** Null if the text has no markup, or if the parser has not loaded. The text is then shown as it was typed. */
export function findMarkup(text: string): Markup | null {
  const parser = markupParser.getSnapshot();
  if (!parser || !canHaveMarkup(text)) return null;
  return cache.get(text, () => parser.parseMessage(text));
}

/** Where emphasis can stand in the text. Null if the parser has not loaded. */
export function findTextStructure(text: string): TextStructure | null {
  return markupParser.getSnapshot()?.findTextStructure(text) ?? null;
}

/** Whether the text is shown differently from how it was typed, see `Markup`. */
export function hasMarkup(text: string): boolean {
  return findMarkup(text)?.isMarked ?? false;
}

/** The readable text of a message, without marks and what spoilers hide, and with the names of mentioned members. */
export function toPlainText(text: string, names: Personas): string {
  const markup = findMarkup(text);
  if (!markup) {
    const shownText = text.replace(possibleSpoilers, `[${getText('common.spoiler')}]`);
    return replaceMentionsWithNames(shownText, names);
  }
  return markup.pieces.map((piece) => renderPiece(piece, names)).join('');
}

export function renderPiece(piece: Piece, names: Personas): string {
  return piece.kind === 'text' ? piece.text : toMentionLabel(names, piece.memberId);
}

/** The start and the end of a part of a text. The character at the end is not part of it. */
type Range = readonly [number, number];

/** Renders the readable text of a message, and moves the ranges of the message to their places in that text. */
export function renderPlainTextWithRanges(
  text: string,
  ranges: readonly Range[],
  names: Personas,
): { text: string; ranges: readonly Range[] } {
  const plainRanges: Range[] = [];
  let start = 0;
  for (const piece of findMarkup(text)?.pieces ?? []) {
    const end = start + renderPiece(piece, names).length;
    if (piece.kind === 'text' && piece.from !== null) {
      const shift = start - piece.from;
      for (const range of ranges) {
        const from = Math.max(range[0] + shift, start);
        const to = Math.min(range[1] + shift, end);
        if (from < to) plainRanges.push([from, to]);
      }
    }
    start = end;
  }
  if (plainRanges.length > 0 || possibleSpoilers.test(text)) {
    return { text: toPlainText(text, names), ranges: plainRanges };
  }
  // If all ranges are in hidden parts, such as the address behind a link, show the text as it was typed.
  const moveOffset = (offset: number) =>
    replaceMentionsWithNames(text.slice(0, offset), names).length;
  return {
    text: replaceMentionsWithNames(text, names),
    ranges: ranges.map(([from, to]) => [moveOffset(from), moveOffset(to)] as const),
  };
}
