// The Markdown of messages, as a configuration of Lezer's parser: CommonMark with GitHub's strikethrough and tables,
// bare addresses and formulas, without the parts of CommonMark that surprise in a chat.
import {
  type BlockContext,
  type BlockParser,
  type InlineContext,
  type InlineParser,
  type Line,
  parser,
  Strikethrough,
  Table,
} from '@lezer/markdown';
import { toMentionToken, parseMentionTokens } from '#contract/mentions.ts';
import { findBareAddress } from './links.ts';

/** The depth of nested blocks, counting each list and each of its items. Deeper blocks are text. */
const maxDepth = 12;
const maxFormula = 2000;
const mentionLength = toMentionToken('').length + 16;

const tilde = 126;
const dollar = 36;
const greaterThan = 62;
const lessThan = 60;
const backslash = 92;

/** Runs before all other block parsers, so that no nesting goes deeper. */
const depthLimit: BlockParser = {
  name: 'DepthLimit',
  before: 'IndentedCode',
  parse(context, line) {
    if (context.depth < maxDepth) return false;
    addLine(context, line, 'PlainLine');
    return true;
  },
};

/** A quote needs a space after its marks, so that '>:(' and '>_<' stay text. */
const quote: BlockParser = {
  name: 'Quote',
  before: 'FencedCode',
  parse(context, line) {
    if (line.next !== greaterThan || !/^>+(?:[ \t]|$)/.test(line.text.slice(line.pos))) {
      return false;
    }
    const markStart = context.lineStart + line.pos;
    context.startComposite('Blockquote', line.pos);
    context.addElement(context.elt('QuoteMark', markStart, markStart + 1));
    const hasSpace = /[ \t]/.test(line.text[line.pos + 1] ?? '');
    line.moveBase(line.pos + (hasSpace ? 2 : 1));
    return null;
  },
  // A line without the marks of its quote or list ends it, as in Discord. CommonMark would continue the paragraph.
  endLeaf: (context, line) => (line as Line & { depth: number }).depth < context.depth,
};

/** A formula on separate lines, which begin and end with `$$`. A blank line ends the formula. */
const formulaBlock: BlockParser = {
  name: 'FormulaBlock',
  before: 'FencedCode',
  parse(context, line) {
    const first = line.text.slice(line.pos);
    if (!first.startsWith('$$') || first.indexOf('$$', 2) >= 0) return false;
    const from = context.lineStart + line.pos;
    const depth = context.depth;
    while (context.nextLine() && context.depth === depth && line.pos < line.text.length) {
      if (!line.text.trimEnd().endsWith('$$')) continue;
      const to = context.lineStart + line.text.trimEnd().length;
      context.nextLine();
      context.addElement(context.elt('FormulaBlock', from, to));
      return true;
    }
    context.addElement(context.elt('PlainLine', from, context.prevLineEnd()));
    return true;
  },
};

function addLine(context: BlockContext, line: Line, type: string): void {
  const from = context.lineStart + line.pos;
  context.nextLine();
  context.addElement(context.elt(type, from, context.prevLineEnd()));
}

/** The token of a mention with its escape, if it has one, see contract/mentions.ts. */
const mention: InlineParser = {
  name: 'Mention',
  before: 'Escape',
  parse(context, next, pos) {
    if (next !== lessThan && next !== backslash) return -1;
    const from = next === backslash ? pos + 1 : pos;
    const [token] = parseMentionTokens(context.slice(from, from + mentionLength));
    return token?.start === 0
      ? context.addElement(context.elt('Mention', pos, from + token.end))
      : -1;
  },
};

const bareAddress: InlineParser = {
  name: 'BareAddress',
  before: 'Escape',
  parse(context, _, pos) {
    const { text, offset } = context;
    const address = findBareAddress(text, pos - offset, () => context.hasOpenLink);
    if (address === '') return -1;
    return context.addElement(context.elt('BareAddress', pos, pos + address.length));
  },
};

/**
 * `$x$` or `$$x$$`. As in Pandoc, a single dollar opens before and closes after a character that is no space, and no
 * letter or digit touches it from outside: 'it costs $5 and $6' is no formula. Only the next dollar can close, so the
 * search never reads a character twice.
 */
const formula: InlineParser = {
  name: 'Formula',
  before: 'Escape',
  parse(context, next, pos) {
    if (next !== dollar || context.char(pos - 1) === dollar) return -1;
    const size = context.char(pos + 1) === dollar ? 2 : 1;
    const from = pos + size;
    const end = findNextDollar(context, from);
    if (end < 0 || end === from || context.slice(from, end).trim() === '') return -1;
    // A mention cannot be in a formula, because the server counts it.
    if (parseMentionTokens(context.slice(from, end)).length > 0) return -1;
    if (size === 2) {
      if (context.char(end + 1) !== dollar) return -1;
    } else if (
      context.char(end + 1) === dollar ||
      /[\p{L}\p{N}\\]/u.test(context.slice(pos - 1, pos)) ||
      /\s/.test(context.slice(from, from + 1) + context.slice(end - 1, end)) ||
      /[\p{L}\p{N}]/u.test(context.slice(end + 1, end + 2))
    ) {
      return -1;
    }
    const type = size === 2 ? 'DisplayFormula' : 'Formula';
    return context.addElement(context.elt(type, pos, end + size));
  },
};

/** Three tildes or more strike nothing. `Strikethrough` would read the last two of them. */
const manyTildes: InlineParser = {
  name: 'ManyTildes',
  before: 'Escape',
  parse(context, next, pos) {
    if (next !== tilde) return -1;
    let end = pos + 1;
    while (context.char(end) === tilde) end++;
    return end - pos > 2 ? end : -1;
  },
};

/** The next dollar without a backslash, or -1. */
function findNextDollar(context: InlineContext, from: number): number {
  const max = Math.min(context.end, from + maxFormula);
  for (let offset = from; offset < max; offset++) {
    const char = context.char(offset);
    if (char === dollar) return offset;
    if (char === backslash) offset++;
  }
  return -1;
}

export const markdown = parser.configure([
  Strikethrough,
  Table,
  {
    defineNodes: [
      { name: 'PlainLine', block: true },
      { name: 'FormulaBlock', block: true },
      'Mention',
      'BareAddress',
      'Formula',
      'DisplayFormula',
    ],
    parseBlock: [depthLimit, formulaBlock, quote],
    parseInline: [mention, formula, manyTildes, bareAddress],
    // These are shown as typed: blocks that change what a line of a chat means, HTML, and entities.
    remove: ['Blockquote', 'Entity', 'HTMLBlock', 'IndentedCode', 'LinkReference', 'SetextHeading'],
  },
]);
