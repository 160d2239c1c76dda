// Spoilers in the text of a message: `||text||` is hidden until a reader presses it. The server and the browser find them with this
// file alone, so that no notification and no quote has what the room hides.
import { findFormula } from './formula-syntax.ts';
import { cutQuote, emptySpoiler } from './quote-text.ts';
import { wordPattern } from './word-boundary.ts';

export interface Spoiler {
  /** The place of the first bar, and that after the last one. */
  from: number;
  to: number;
}

/** A text with more signs could be slow. All between its first and its last bars is hidden. */
const maxSigns = 1000;
const signs = /\|{2,}|`+|~{3,}|\$|\\/g;
/** A block of code with its fences. The rest of a fence is looked at once, which keeps the time linear. */
const codeBlock =
  /(?<=^[ \t>]*(?:(?:[-+*]|\d+[.)])[ \t]*)?)(?:(`{3,})[^`\n]*\n[^]*?(?<!`)\1(?=(`*))\2|(~{3,})(?!~).*\n[^]*?^[ \t>]*\3~*)[.,;:!?)]*[ \t]*$/my;
const inlineCode = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/y;
const emptyLine = /\n[ \t>]*\n/;
/** The formulas that can have empty lines: those of brackets and environments, and of dollars in their own lines. */
const longFormula = /^(?:\\[[b]|\$\$[ \t]*\n[^]*\n[ \t>]*\$\$$)/;

/** The hidden text touches its bars, and no word does from outside: `a || b`, `a||b||c`, `'a'||'b'` and '||x||²' are text. */
const touchingStart = new RegExp(
  String.raw`(?<!${wordPattern}|[\p{Pe}\u0060\\']|\S["’”])\|\|(?!\s)`,
  'uy',
);
const touchingEnd = new RegExp(String.raw`(?<!\s)\|\|(?!_*${wordPattern}|\^)`, 'uy');
/** At the start of a line or after a colon, and at the end of a line, spaces can be between the bars and the hidden text. */
const lineStart = /(?<=(?:^|[:：])[ \t>]*)\|\|/my;
const lineEnd = /\|\|(?=[ \t]*$)/my;
/** The rest of a line that is the row of a table. */
const rowRest = /.*[^|]\|[ \t]*$/my;

/** Bars that can begin a spoiler. */
interface Start {
  from: number;
  isTouching: boolean;
  isLoose: boolean;
  isInRow: boolean;
}

/** Lists the spoilers in their order. None begins in code or in a formula, and bars in code or a formula end none. */
export function findSpoilers(text: string): Spoiler[] {
  const spoilers: Spoiler[] = [];
  if (!text.includes('||')) return spoilers;
  if ((text.match(signs)?.length ?? 0) > maxSigns) {
    const from = text.indexOf('||');
    const to = text.lastIndexOf('||') + 2;
    return to - from > 4 ? [{ from, to }] : spoilers;
  }
  let start: Start | null = null;
  let offset = 0;
  for (;;) {
    signs.lastIndex = offset;
    const match = signs.exec(text);
    if (!match) return spoilers;
    const { 0: sign, index } = match;
    offset = signs.lastIndex;
    if (!sign.startsWith('|')) {
      offset = findEnd(text, sign, index) ?? offset;
    } else if (sign.length < 4) {
      const last = offset - 2;
      const hidden = start && text.slice(start.from + 2, last);
      // A spoiler in a table ends in its row.
      if (start?.isInRow && hidden?.includes('\n')) start = null;
      const isEnd =
        (start?.isTouching && isAt(touchingEnd, text, last)) ||
        (start?.isLoose && isAt(lineEnd, text, last));
      // Of three bars, the first is hidden if it is the second of a pair: `||is |x|||`.
      const isWhole = sign === '||' || (hidden ?? '').split('|').length % 2 === 1;
      if (start && isEnd && isWhole && hidden?.trim()) {
        spoilers.push({ from: start.from, to: offset });
        start = null;
      } else if (sign === '||' && !start?.isTouching) {
        const isTouching = isAt(touchingStart, text, index);
        const isLoose = isAt(lineStart, text, index);
        const isInRow = isAt(rowRest, text, offset);
        if (isTouching || isLoose) start = { from: index, isTouching, isLoose, isInRow };
      }
    }
  }
}

/** The end of the code, formula or escape that begins here, or undefined. */
function findEnd(text: string, sign: string, from: number): number | undefined {
  if (/[`~]/.test(sign)) {
    return [codeBlock, inlineCode].find((code) => isAt(code, text, from))?.lastIndex;
  }
  const to = findFormula(text, from)?.to;
  const formula = text.slice(from, to ?? from);
  if (to && (!emptyLine.test(formula) || longFormula.test(formula))) return to;
  return sign === '\\' ? from + 2 : undefined;
}

function isAt(pattern: RegExp, text: string, offset: number): boolean {
  pattern.lastIndex = offset;
  return pattern.test(text);
}

/** Divides the text at the spoilers: what is between them, and what they hide. */
export function divideAtSpoilers<Part>(
  text: string,
  spoilers: readonly Spoiler[],
  toParts: (from: number, to: number) => readonly Part[],
  toSpoiler: (from: number, to: number) => Part,
): Part[] {
  let end = 0;
  const parts = spoilers.flatMap(({ from, to }) => {
    const partsBefore = toParts(end, from);
    end = to;
    return [...partsBefore, toSpoiler(from + 2, to - 2)];
  });
  return [...parts, ...toParts(end, text.length)];
}

export function replaceSpoilers(text: string, replacement: string): string {
  const toParts = (from: number, to: number) => [text.slice(from, to)];
  return divideAtSpoilers(text, findSpoilers(text), toParts, () => replacement).join('');
}

/** The start of a quoted text, without what its spoilers hide. */
export function toQuoteText(messageText: string): string {
  const text = replaceSpoilers(messageText, emptySpoiler);
  return cutQuote(text, findSpoilers(text));
}
