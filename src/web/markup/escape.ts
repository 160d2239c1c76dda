import type { InlineContext, InlineParser } from '@lezer/markdown';

const backslash = 92;
/** How far a bracket is searched for the address of its link. */
const maxEscapedLink = 200;

/** A backslash is shown as typed, unless the next characters would be marks without it. */
export const escape: InlineParser = {
  name: 'Escape',
  parse(context, next, pos) {
    if (next !== backslash) return -1;
    const rest = context.slice(pos + 1, pos + maxEscapedLink);
    const isEscape =
      /^(?:[*`$|]|~~)/.test(rest) ||
      // A link would follow, or would end.
      (/^[[\]]/.test(rest) && rest.includes('](')) ||
      (isBlockMark(rest) && isLineStart(context, pos));
    if (isEscape) return context.addElement(context.elt('Escape', pos, pos + 2));
    return rest.startsWith('_') ? pos + 2 : -1;
  },
};

function isBlockMark(text: string): boolean {
  return /^(?:#{1,6}|>+|[-+.)])(?:\s|$)/.test(text);
}

/** Whether only spaces are before this place, or the number of a list. */
function isLineStart(context: InlineContext, pos: number): boolean {
  const isNumbered = /[.)]/.test(context.slice(pos + 1, pos + 2));
  const lineStart = /(?:^|\n)([ \t]*)(\d{0,9})$/.exec(context.slice(pos - 30, pos));
  return lineStart !== null && (lineStart[2] !== '') === isNumbered;
}
