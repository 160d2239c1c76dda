import type { SyntaxNode } from '@lezer/common';
import { markdown } from './grammar.ts';
import { tokensOf } from '#contract/mentions.ts';
import { limits } from '#contract/limits.ts';
import { showTargets } from './link-hosts.ts';
import { linkTarget } from './links.ts';
import type { Alignment, Block, Inline, Text } from './markup.ts';
import { plainTextOf } from './plain-text.ts';
import { textOf, typedText } from './typed-text.ts';

/** A message with more nodes is shown as it was typed. */
const maxNodes = 1500;
/** A longer text cannot be sent. It is only in the composer, which shows no preview of it. */
const maxLength = 2 * limits.messageText;

/** Parses the text of a message. A text that costs too much is one text block. */
export function parseMarkup(source: string): readonly Block[] {
  const asTyped: Block[] = [{ kind: 'paragraph', content: typedText(source, 0, source.length) }];
  if (isTooComplex(source)) return asTyped;
  const tree = markdown.parse(source);
  let nodes = 0;
  tree.iterate({ enter: () => ++nodes <= maxNodes });
  return nodes > maxNodes ? asTyped : blocksIn(source, tree.topNode, true);
}

/**
 * Emphasis and links are matched by searching back for their beginnings, which takes quadratic time, as white space
 * does in the search for tables. Only a text that was written for that has so much of them.
 */
function isTooComplex(source: string): boolean {
  return (
    source.length > maxLength ||
    count(source, /\*+|_+|~~/g) > 400 ||
    count(source, /\]\(/g) > 100 ||
    count(source, /[[\]]/g) > 400 ||
    count(source, /\\/g) > 600 ||
    count(source, /\$/g) > 400 ||
    count(source, /\n/g) > 800 ||
    /[ \t>]{200}/.test(source)
  );
}

function count(source: string, pattern: RegExp): number {
  return source.match(pattern)?.length ?? 0;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function blocksIn(source: string, parent: SyntaxNode, isTop = false): Block[] {
  const blocks: Block[] = [];
  /** The content of the last block, if it is a paragraph. */
  let paragraph: Inline[] | null = null;
  let end = parent.from;
  for (const node of childrenOf(parent)) {
    if (node.name.endsWith('Mark')) continue;
    const block = blockOf(source, node);
    if (block.kind === 'paragraph') {
      // Paragraphs stay one text with its own line breaks, and at the top with its indentation.
      const gap = source.slice(end, node.from);
      const space = joinedText(source, isTop ? gap : gap.replace(/[^\n]/g, ''), end);
      const isFirst = blocks.length === 0;
      const hasSpace = space.text !== '' && (paragraph !== null || (isTop && isFirst));
      if (!paragraph) {
        paragraph = [];
        blocks.push({ kind: 'paragraph', content: paragraph });
      }
      if (hasSpace) paragraph.push(space);
      paragraph.push(...block.content);
    } else {
      blocks.push(block);
      paragraph = null;
    }
    end = node.to;
  }
  return blocks;
}

function blockOf(source: string, node: SyntaxNode): Block {
  const asTyped: Block = { kind: 'paragraph', content: typedText(source, node.from, node.to) };
  switch (node.name) {
    case 'Paragraph':
      return { kind: 'paragraph', content: lineIn(source, node, node.from, node.to) };
    case 'ATXHeading1':
    case 'ATXHeading2':
    case 'ATXHeading3': {
      const content = headingContent(source, node);
      const level = Number(node.name.at(-1)) as 1 | 2 | 3;
      return content.length > 0 ? { kind: 'heading', level, content } : asTyped;
    }
    case 'Blockquote': {
      const blocks = blocksIn(source, node);
      return blocks.length > 0 ? { kind: 'quote', blocks } : asTyped;
    }
    case 'BulletList':
    case 'OrderedList': {
      const items = childrenOf(node).map((item) => blocksIn(source, item));
      // A lone '-' or '+' is not a list.
      if (items.some((blocks) => blocks.length === 0)) return asTyped;
      const mark = node.firstChild?.firstChild;
      const typed = mark ? source.slice(mark.from, mark.to) : '';
      const start = node.name === 'OrderedList' ? Number.parseInt(typed, 10) : null;
      return { kind: 'list', start, delimiter: typed.at(-1) ?? '', items };
    }
    case 'FencedCode': {
      const [info] = node.getChildren('CodeInfo').map((child) => sourceOf(source, child).text);
      const parts = node.getChildren('CodeText');
      const text = parts.map((part) => source.slice(part.from, part.to)).join('');
      if (text.trim() === '') return asTyped;
      const language = /^[\w+#.-]*/.exec(info ?? '')?.[0].toLowerCase() ?? '';
      return { kind: 'codeBlock', language, code: joinedText(source, text, parts[0]?.from ?? 0) };
    }
    case 'FormulaBlock':
      if (tokensOf(source.slice(node.from, node.to)).length > 0) return asTyped;
      return { kind: 'formulaBlock', formula: formulaOf(source, node, 2) };
    case 'Table':
      return tableOf(source, node);
    default:
      return asTyped;
  }
}

function headingContent(source: string, node: SyntaxNode): Inline[] {
  const [first, last] = node.getChildren('HeaderMark');
  const from = first?.to ?? node.from;
  const inner = source.slice(from, last?.from ?? node.to);
  const start = from + inner.length - inner.trimStart().length;
  return lineIn(source, node, start, from + inner.trimEnd().length);
}

function tableOf(source: string, node: SyntaxNode): Block {
  const [delimiters] = node.getChildren('TableDelimiter');
  const alignments = source
    .slice(delimiters?.from, delimiters?.to)
    .split('|')
    .filter((cell) => cell.trim() !== '')
    .map(alignmentOf);
  const rows = [...node.getChildren('TableHeader'), ...node.getChildren('TableRow')].map((row) =>
    cellsOf(source, row, alignments.length),
  );
  return { kind: 'table', alignments, rows };
}

function alignmentOf(delimiter: string): Alignment {
  const cell = delimiter.trim();
  if (!cell.endsWith(':')) return 'start';
  return cell.startsWith(':') ? 'center' : 'end';
}

/** An empty cell has no node, so the delimiters count the columns. */
function cellsOf(source: string, row: SyntaxNode, columns: number): Inline[][] {
  const cells: Inline[][] = [];
  let cell: Inline[] | null = null;
  for (const [n, child] of childrenOf(row).entries()) {
    if (child.name === 'TableCell') {
      cell = lineIn(source, child, child.from, child.to);
      cells.push(cell);
    } else if (child.name === 'TableDelimiter') {
      if (cell === null && n > 0) cells.push([]);
      cell = null;
    }
  }
  return Array.from({ length: columns }, (_, n) => cells[n] ?? []);
}

/** All that is in a block of text. */
function lineIn(source: string, node: SyntaxNode, from: number, to: number): Inline[] {
  const content = inlineIn(source, node, from, to);
  showTargets(content);
  return content;
}

function inlineIn(source: string, parent: SyntaxNode, from: number, to: number): Inline[] {
  const content: Inline[] = [];
  const isInBlock = isNested(parent);
  let atLineStart = false;
  let end = from;
  const addSource = (until: number) => {
    // The indentation and the marks of lists and quotes belong to these.
    const indentation = isInBlock ? /(?<=\n)[ \t]+/g : /(?!)/g;
    const text = source.slice(end, until);
    let start = atLineStart ? text.length - text.trimStart().length : 0;
    for (const { 0: gap, index } of text.matchAll(indentation)) {
      if (index > start) content.push(...typedText(source, end + start, end + index));
      start = Math.max(start, index + gap.length);
    }
    if (start < text.length) content.push(...typedText(source, end + start, until));
    atLineStart = false;
  };
  for (const node of childrenOf(parent)) {
    if (node.from < from || node.to > to) continue;
    addSource(node.from);
    content.push(...inlineOf(source, node));
    atLineStart = node.name === 'QuoteMark';
    end = node.to;
  }
  addSource(to);
  return content;
}

function isNested(node: SyntaxNode): boolean {
  for (let at = node.parent; at; at = at.parent) {
    if (at.name === 'ListItem' || at.name === 'Blockquote') return true;
  }
  return false;
}

function inlineOf(source: string, node: SyntaxNode): Inline[] {
  const inner = () => {
    const first = node.firstChild;
    const last = node.lastChild;
    return inlineIn(source, node, first?.to ?? node.from, last?.from ?? node.to);
  };
  switch (node.name) {
    case 'QuoteMark':
      return [];
    case 'StrongEmphasis':
      return [{ kind: 'strong', content: inner() }];
    case 'Emphasis':
      return [{ kind: 'emphasis', content: inner() }];
    case 'Strikethrough':
      return [{ kind: 'strike', content: inner() }];
    case 'InlineCode':
      return [{ kind: 'code', code: inlineCodeOf(source, node) }];
    case 'Escape':
      return [textOf(source.slice(node.from + 1, node.to), node.from + 1)];
    case 'HardBreak':
      return [textOf('\n', node.to - 1)];
    case 'Formula':
      return [{ kind: 'formula', formula: formulaOf(source, node, 1), display: false }];
    case 'DisplayFormula':
      return [{ kind: 'formula', formula: formulaOf(source, node, 2), display: true }];
    case 'BareAddress':
      return linkTo(node);
    case 'Autolink': {
      const [address] = node.getChildren('URL');
      return address ? linkTo(address) : typed();
    }
    case 'Link':
    case 'Image':
      return linkOf(source, node);
    default:
      return typed();
  }

  /** A link, or the source if the address is none that the app links to. */
  function linkTo(address: SyntaxNode): Inline[] {
    const text = sourceOf(source, address);
    const url = linkTarget(text.text);
    return url ? [{ kind: 'link', href: url.href, target: null, content: [text] }] : typed();
  }

  function typed(): Inline[] {
    return typedText(source, node.from, node.to);
  }
}

/** A link with a text. A picture is a link to it. Brackets without an address are text. */
function linkOf(source: string, node: SyntaxNode): Inline[] {
  const [open, close] = node.getChildren('LinkMark');
  const [address] = node.getChildren('URL');
  if (!open || !close) return typedText(source, node.from, node.to);
  const content = inlineIn(source, node, open.to, close.from);
  const url = address ? linkTarget(source.slice(address.from, address.to)) : null;
  if (!url) {
    return [sourceOf(source, open), ...content, ...typedText(source, close.from, node.to)];
  }
  if (plainTextOf(content).trim() === '') {
    const shown: Text = { kind: 'text', text: url.href, from: null };
    return [{ kind: 'link', href: url.href, target: null, content: [shown] }];
  }
  return [{ kind: 'link', href: url.href, target: null, content: content.flatMap(withoutLink) }];
}

/** A link inside of a link is its text. */
function withoutLink(part: Inline): readonly Inline[] {
  if (part.kind === 'link') return part.content;
  return 'content' in part ? [{ ...part, content: part.content.flatMap(withoutLink) }] : [part];
}

function inlineCodeOf(source: string, node: SyntaxNode): Text {
  const [open, close] = node.getChildren('CodeMark');
  const from = open?.to ?? node.from;
  const text = oneLine(source.slice(from, close?.from ?? node.to));
  // As in CommonMark, one space on each side allows code that begins or ends with a backtick.
  return /^ .*\S.* $/.test(text)
    ? joinedText(source, text.slice(1, -1), from + 1)
    : joinedText(source, text, from);
}

function formulaOf(source: string, node: SyntaxNode, marks: number): Text {
  const inner = source.slice(node.from + marks, node.to - marks);
  const from = node.from + marks + inner.length - inner.trimStart().length;
  return joinedText(source, oneLine(inner).trim(), from);
}

/** Joins lines, without the marks of quotes around them. */
function oneLine(text: string): string {
  return text.replace(/\n[ \t]*(?:>[ \t]?)*/g, ' ');
}

/** Text that may have been joined from several places of the source. */
function joinedText(source: string, text: string, from: number): Text {
  return { kind: 'text', text, from: source.startsWith(text, from) ? from : null };
}

function sourceOf(source: string, { from, to }: SyntaxNode): Text {
  return textOf(source.slice(from, to), from);
}
