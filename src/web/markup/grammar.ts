// The Markdown of messages, as a configuration of Lezer's parser: CommonMark with GitHub's strikethrough and tables,
// bare addresses and formulas, without the parts of CommonMark that surprise in a chat.
import { type BlockParser, type InlineParser, parser } from '@lezer/markdown';
import { toMentionToken, parseMentionTokens } from '#contract/mentions.ts';
import { addLine, addParagraph, getDepth, sliceText } from './block-context.ts';
import { emphasis } from './emphasis.ts';
import { escape } from './escape.ts';
import { fencedCode } from './fenced-code.ts';
import { findFormula, findFormulaLines } from '#contract/formula-syntax.ts';
import { findBareAddress } from './links.ts';
import { spoiler } from './spoiler-grammar.ts';
import { table } from './table-grammar.ts';

/** The depth of nested blocks, counting each list and each of its items. Deeper blocks are text. */
const maxDepth = 12;
const mentionLength = toMentionToken('').length + 16;

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
  endLeaf: (context, line) => getDepth(line) < context.depth,
};

/** A displayed formula of several lines, with the text before and after it in its first and last line. */
const formulaLines: BlockParser = {
  name: 'FormulaLines',
  after: 'ATXHeading',
  parse(context, line) {
    const start = context.lineStart + line.pos;
    const place = findFormulaLines(sliceText(context, line));
    if (!place) return false;
    const from = start + place.from;
    const to = start + place.to;
    const { depth } = context;
    while (context.lineStart + line.text.length < to) {
      if (!context.nextLine() || context.depth !== depth || getDepth(line) < depth) {
        // The quote or list ends before the formula does.
        context.addElement(context.elt('PlainLine', start, context.prevLineEnd()));
        return true;
      }
    }
    const end = context.lineStart + line.text.trimEnd().length;
    const textBefore = sliceText(context, line, start, from).trimEnd();
    if (textBefore) addParagraph(context, textBefore, start);
    context.addElement(context.elt('FormulaBlock', from, to));
    if (to < end) addParagraph(context, sliceText(context, line, to, end), to);
    context.nextLine();
    return true;
  },
  endLeaf: (context, line) => findFormulaLines(sliceText(context, line)) !== null,
};

/** A minus or plus before a number begins no list. */
const signedNumber = /^[-+][ \t]+(?!\d{1,9}[.)][ \t])[\p{Sc}.,~≈±]?[ \t]?\p{N}/u;

const bulletList: BlockParser = {
  name: 'BulletList',
  parse(context, line) {
    const text = line.text.slice(line.pos);
    if (!/^[-+*](?:[ \t]|$)/.test(text)) return false;
    if (context.parentType().name !== 'BulletList') {
      if (signedNumber.test(text)) return false;
      context.startComposite('BulletList', line.basePos, line.next);
    }
    const from = context.lineStart + line.pos;
    const afterMark = line.countIndent(line.pos + 1, line.pos, line.indent);
    const textPos = line.skipSpace(line.pos + 1);
    const textColumn = line.countIndent(textPos, line.pos + 1, afterMark);
    const hasText = textPos < line.text.length && textColumn < afterMark + 5;
    const base = hasText ? textColumn : afterMark + 1;
    context.startComposite('ListItem', line.basePos, base - line.baseIndent);
    context.addElement(context.elt('ListMark', from, from + 1));
    line.moveBaseColumn(base);
    return null;
  },
};

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

const formula: InlineParser = {
  name: 'Formula',
  before: 'Escape',
  parse(context, _, pos) {
    const span = findFormula(context.text, pos - context.offset);
    if (!span) return -1;
    const type = span.display ? 'DisplayFormula' : 'Formula';
    return context.addElement(context.elt(type, pos, context.offset + span.to));
  },
};

export const markdown = parser.configure({
  defineNodes: [
    { name: 'PlainLine', block: true },
    { name: 'FormulaBlock', block: true },
    { name: 'Table', block: true },
    'TableHeader',
    'TableRow',
    'TableCell',
    'TableDelimiter',
    'Strikethrough',
    'Mention',
    'BareAddress',
    'Formula',
    'DisplayFormula',
    'Spoiler',
    'SpoilerMark',
  ],
  parseBlock: [depthLimit, formulaLines, quote, fencedCode, bulletList, table],
  parseInline: [spoiler, mention, formula, bareAddress, escape, emphasis],
  // These are shown as typed: blocks that change what a line of a chat means, HTML, and entities.
  remove: [
    ...['Blockquote', 'Entity', 'HardBreak', 'HTMLBlock', 'IndentedCode', 'LinkReference'],
    'SetextHeading',
  ],
});
