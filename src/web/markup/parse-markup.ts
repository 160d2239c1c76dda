import type { SyntaxNode } from '@lezer/common';
import { markdown } from './grammar.ts';
import { parseMentionTokens } from '#contract/mentions.ts';
import { limits } from '#contract/limits.ts';
import { divideAtSpoilers, findSpoilers, type Spoiler } from '#contract/spoilers.ts';
import { showTargets } from './link-hosts.ts';
import { parseLinkTarget } from './links.ts';
import type { Alignment, Block, Inline, Text } from './markup.ts';
import { removeMarks } from './plain-text.ts';
import { listSpoilers, missesSpoiler, parsePart } from './spoiler-grammar.ts';
import { createText, parseTypedText } from './typed-text.ts';

/** A message with more nodes is shown as it was typed. */
const maxNodes = 1500;
/** A longer text cannot be sent, and the composer shows no preview of it. */
const maxLength = 2 * limits.messageText;

/** Parses the text of a message. A text that costs too much is one text block. */
export function parseMarkup(source: string): readonly Block[] {
  const spoilers = findSpoilers(source);
  const hasLines = ({ from, to }: Spoiler) => source.slice(from, to).includes('\n');
  const lineSpoilers = spoilers.filter((spoiler) => !hasLines(spoiler));
  let nodes = 0;
  const parseBlocks = (from: number, to: number): Block[] => {
    const tree = parsePart(markdown, source, lineSpoilers, from, to);
    tree.iterate({ enter: () => ++nodes <= maxNodes });
    return listBlocks(source, tree.topNode, from);
  };
  if (!isTooComplex(source)) {
    const blocks = divideAtSpoilers<Block>(
      source,
      spoilers.filter(hasLines),
      parseBlocks,
      (from, to) => ({ kind: 'spoilerBlock', blocks: parseBlocks(from, to) }),
    );
    if (nodes <= maxNodes) return blocks;
  }
  return [toTypedBlock(source, { from: 0, to: source.length }, spoilers)];
}

/** A part of the message as it was typed, except that its spoilers stay hidden. */
function toTypedBlock(
  source: string,
  part: { from: number; to: number },
  spoilers: readonly Spoiler[],
): Block {
  const content = divideAtSpoilers<Inline>(
    source.slice(0, part.to),
    spoilers,
    (from, to) => parseTypedText(source, Math.max(from, part.from), to),
    (from, to) => ({ kind: 'spoiler', content: parseTypedText(source, from, to) }),
  );
  return { kind: 'paragraph', content };
}

/**
 * The parser searches back for the beginnings of emphasis and links, which takes quadratic time, and so does white space
 * in the search for tables. Only a text that was written to be slow exceeds these counts.
 */
export function isTooComplex(source: string): boolean {
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

function listChildren(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** @param start where the part of the message begins whose blocks are at the top; null for the content of a block */
function listBlocks(source: string, parent: SyntaxNode, start: number | null = null): Block[] {
  const blocks: Block[] = [];
  /** The content of the last block, if it is a paragraph. */
  let paragraph: Inline[] | null = null;
  let end = start ?? parent.from;
  for (const node of listChildren(parent)) {
    if (node.name.endsWith('Mark')) continue;
    const block = toBlock(source, node);
    if (block.kind === 'paragraph') {
      // Paragraphs stay one text with its own line breaks, and at the top with its indentation.
      const from = paragraph ? end : Math.max(end, source.lastIndexOf('\n', node.from - 1) + 1);
      const gap = source.slice(from, node.from);
      const space = locateText(source, start === null ? gap.replace(/[^\n]/g, '') : gap, from);
      if (!paragraph) {
        paragraph = [];
        blocks.push({ kind: 'paragraph', content: paragraph });
      }
      if (space.text !== '') paragraph.push(space);
      paragraph.push(...block.content);
    } else {
      blocks.push(block);
      paragraph = null;
    }
    end = node.to;
  }
  return blocks;
}

function toBlock(source: string, node: SyntaxNode): Block {
  const asTyped = toTypedBlock(source, node, listSpoilers(node));
  if (!node.type.is('BlockContext') && missesSpoiler(node)) return asTyped;
  switch (node.name) {
    case 'Paragraph':
      return { kind: 'paragraph', content: parseLine(source, node, node.from, node.to) };
    case 'ATXHeading1':
    case 'ATXHeading2':
    case 'ATXHeading3': {
      const content = parseHeading(source, node);
      const level = Number(node.name.at(-1)) as 1 | 2 | 3;
      return content.length > 0 ? { kind: 'heading', level, content } : asTyped;
    }
    case 'Blockquote': {
      const blocks = listBlocks(source, node);
      return blocks.length > 0 ? { kind: 'quote', blocks } : asTyped;
    }
    case 'BulletList':
    case 'OrderedList': {
      const items = node.getChildren('ListItem').map((item) => {
        const mark = item.getChild('ListMark') ?? item;
        return { mark: toSourceText(source, mark), blocks: listBlocks(source, item) };
      });
      // A lone '-' or '+' is not a list.
      if (items.some(({ blocks }) => blocks.length === 0)) return asTyped;
      return { kind: 'list', isOrdered: node.name === 'OrderedList', items };
    }
    case 'FencedCode': {
      const [info] = node.getChildren('CodeInfo');
      const language = info ? findLanguage(source.slice(info.from, info.to)) : '';
      const lines = node.getChildren('CodeText');
      const indentation = countIndentation(source, node, lines);
      const lineTexts = lines.map(({ from, to }) =>
        source.slice(from, to).replace(new RegExp(`^ {0,${indentation}}`), ''),
      );
      const isInfoCode = info !== undefined && language === '';
      if (isInfoCode) lineTexts.unshift(source.slice(info.from, info.to));
      const code = lineTexts.join('\n');
      if (code.trim() === '') return asTyped;
      const from = (isInfoCode ? info.from : lines[0]?.from) ?? node.from;
      return { kind: 'codeBlock', language, code: locateText(source, code, from) };
    }
    case 'FormulaBlock':
      if (parseMentionTokens(source.slice(node.from, node.to)).length > 0) return asTyped;
      return {
        kind: 'formulaBlock',
        formula: toFormulaText(source, node),
        typedSource: toTypedFormula(source, node),
      };
    case 'Table':
      return toTable(source, node);
    default:
      return asTyped;
  }
}

/** The names of languages. Any other text behind a fence is the first line of the code. */
const languages = new Set(
  `ada apl asm assembly awk bash bat bib bibtex c c# c++ clojure cmake cmd coffeescript console coq cpp cs csharp css
  csv cuda dart diff docker dockerfile elixir elm erlang f# fortran fsharp glsl go golang gradle graphql groovy haskell
  hs html http ini java javascript jl js json json5 jsonc jsx julia kotlin kt latex lean less lisp log lua make makefile
  markdown maple math mathematica matlab md mermaid mips nasm nginx node nasm objc objective-c ocaml octave
  output pascal patch perl php plaintext postgresql powershell processing prolog ps1 pseudo pseudocode py python python3
  qml r racket rb regex ruby rust rs rust sas sass scala scheme scilab scss sh shell smalltalk solidity sparql sql stata
  svelte svg swift systemverilog tcl terminal tex text toml ts tsx txt typescript v vb vba verilog vhdl vim vue wasm xml
  yaml yml zig zsh`.split(/\s+/),
);

function findLanguage(info: string): string {
  const name = info.toLowerCase();
  return languages.has(name) ? name : '';
}

/** How much deeper than its code a fence is indented, at most three spaces. The lines of the code lose as much. */
function countIndentation(source: string, fence: SyntaxNode, parts: readonly SyntaxNode[]): number {
  const toColumn = (offset: number) => offset - (source.lastIndexOf('\n', offset - 1) + 1);
  for (const { from, to } of parts) {
    const start = source.slice(from, to).search(/[^\n]/);
    if (start >= 0) {
      return Math.max(0, Math.min(3, toColumn(fence.from) - toColumn(from + start)));
    }
  }
  return 0;
}

function parseHeading(source: string, node: SyntaxNode): Inline[] {
  const [first, last] = node.getChildren('HeaderMark');
  const from = first?.to ?? node.from;
  const parseInner = source.slice(from, last?.from ?? node.to);
  const start = from + parseInner.length - parseInner.trimStart().length;
  return parseLine(source, node, start, from + parseInner.trimEnd().length);
}

function toTable(source: string, node: SyntaxNode): Block {
  const [delimiters] = node.getChildren('TableDelimiter');
  const alignments = source
    .slice(delimiters?.from, delimiters?.to)
    .split('|')
    .filter((cell) => cell.trim() !== '')
    .map(parseAlignment);
  const rows = [...node.getChildren('TableHeader'), ...node.getChildren('TableRow')].map((row) => {
    const cells = row.getChildren('TableCell').map((cell) => parseCell(source, cell));
    while (cells.length < alignments.length) cells.push([]);
    return cells;
  });
  return { kind: 'table', alignments, rows };
}

/** The content of a cell, which begins with the '|' before it. */
function parseCell(source: string, node: SyntaxNode): Inline[] {
  const [start = ''] = /^(?:\|(?!\|))?\s*/.exec(source.slice(node.from, node.to)) ?? [];
  const to = node.from + source.slice(node.from, node.to).trimEnd().length;
  return parseLine(source, node, Math.min(to, node.from + start.length), to);
}

function parseAlignment(delimiter: string): Alignment {
  const cell = delimiter.trim();
  if (!cell.endsWith(':')) return 'start';
  return cell.startsWith(':') ? 'center' : 'end';
}

/** All that is in a block of text. */
function parseLine(source: string, node: SyntaxNode, from: number, to: number): Inline[] {
  const content = parseInlines(source, node, from, to);
  showTargets(content);
  return content;
}

function parseInlines(source: string, parent: SyntaxNode, from: number, to: number): Inline[] {
  const content: Inline[] = [];
  const isInBlock = isInside(parent, 'ListItem', 'Blockquote');
  let atLineStart = false;
  let end = from;
  const addSource = (endOffset: number) => {
    // The indentation and the marks of a list or quote are not part of its text.
    const indentation = isInBlock ? /(?<=\n)[ \t]+/g : /(?!)/g;
    const text = source.slice(end, endOffset);
    let start = atLineStart ? text.length - text.trimStart().length : 0;
    for (const { 0: gap, index } of text.matchAll(indentation)) {
      if (index > start) content.push(...parseTypedText(source, end + start, end + index));
      start = Math.max(start, index + gap.length);
    }
    if (start < text.length) content.push(...parseTypedText(source, end + start, endOffset));
    atLineStart = false;
  };
  for (const node of listChildren(parent)) {
    if (node.from < from || node.to > to) continue;
    addSource(node.from);
    content.push(...toInlines(source, node));
    atLineStart = node.name === 'QuoteMark';
    end = node.to;
  }
  addSource(to);
  return content;
}

function isInside(node: SyntaxNode, ...names: string[]): boolean {
  for (let ancestor = node.parent; ancestor; ancestor = ancestor.parent) {
    if (names.includes(ancestor.name)) return true;
  }
  return false;
}

function toInlines(source: string, node: SyntaxNode): Inline[] {
  const parseInner = () => {
    const first = node.firstChild;
    const last = node.lastChild;
    return parseInlines(source, node, first?.to ?? node.from, last?.from ?? node.to);
  };
  switch (node.name) {
    case 'QuoteMark':
      return [];
    case 'StrongEmphasis':
      return [{ kind: 'strong', content: parseInner() }];
    case 'Emphasis':
      return [{ kind: 'emphasis', content: parseInner() }];
    case 'Strikethrough':
      return [{ kind: 'strike', content: parseInner() }];
    case 'Spoiler':
      return [{ kind: 'spoiler', content: parseInner() }];
    case 'InlineCode':
      return [{ kind: 'code', code: toCodeText(source, node) }];
    case 'Escape':
      // One pipe is a mark only in a table.
      if (
        /^\\\|(?!\|)/.test(source.slice(node.from, node.to + 1)) &&
        !isInside(node, 'TableCell')
      ) {
        return parseAsTyped();
      }
      return [createText(source.slice(node.from + 1, node.to), node.from + 1)];
    case 'Formula':
    case 'DisplayFormula':
      return [
        {
          kind: 'formula',
          formula: toFormulaText(source, node),
          typedSource: toTypedFormula(source, node),
          display: node.name === 'DisplayFormula',
        },
      ];
    case 'BareAddress':
      return toBareLink(node);
    case 'Autolink': {
      const [address] = node.getChildren('URL');
      return address ? toBareLink(address) : parseAsTyped();
    }
    case 'Link':
    case 'Image':
      return toLink(source, node);
    default:
      return parseAsTyped();
  }

  /** A link, or the source if the address is none that the app links to. */
  function toBareLink(address: SyntaxNode): Inline[] {
    const text = toSourceText(source, address);
    const url = parseLinkTarget(text.text);
    return url ? [{ kind: 'link', href: url.href, target: null, content: [text] }] : parseAsTyped();
  }

  function parseAsTyped(): Inline[] {
    return parseTypedText(source, node.from, node.to);
  }
}

/** A link with a text. A picture is a link to it. Brackets without an address are text. */
function toLink(source: string, node: SyntaxNode): Inline[] {
  const [open, close] = node.getChildren('LinkMark');
  const [address] = node.getChildren('URL');
  const [quotedTitle] = node.getChildren('LinkTitle');
  if (!open || !close) return parseTypedText(source, node.from, node.to);
  const content = parseInlines(source, node, open.to, close.from);
  const url = address ? parseLinkTarget(source.slice(address.from, address.to)) : null;
  if (!url) {
    return [toSourceText(source, open), ...content, ...parseTypedText(source, close.from, node.to)];
  }
  const title = quotedTitle && source.slice(quotedTitle.from + 1, quotedTitle.to - 1);
  const link = { kind: 'link', href: url.href, target: null, title } as const;
  if (removeMarks(content).trim() === '') {
    const addressText: Text = { kind: 'text', text: url.href, from: null };
    return [{ ...link, content: [addressText] }];
  }
  const wholeLink = { ...link, content: content.flatMap(removeButtons) };
  return listSpoilers(node).length > 0 ? [{ kind: 'spoiler', content: [wholeLink] }] : [wholeLink];
}

/** A link inside of a link is its text. So is a spoiler, because the whole link is one. */
function removeButtons(part: Inline): readonly Inline[] {
  if (part.kind === 'link') return part.content;
  if (part.kind === 'spoiler') return part.content.flatMap(removeButtons);
  return 'content' in part ? [{ ...part, content: part.content.flatMap(removeButtons) }] : [part];
}

function toCodeText(source: string, node: SyntaxNode): Text {
  const [open, close] = node.getChildren('CodeMark');
  const from = open?.to ?? node.from;
  const inner = source.slice(from, close?.from ?? node.to);
  // As everywhere in a message, line breaks stay.
  const lines = isInside(node, 'Blockquote') ? inner.replace(/\n[ \t]*(?:>[ \t]?)+/g, '\n') : inner;
  // In a table, a backslash can be before a pipe in code.
  const text = isInside(node, 'TableCell') ? lines.replaceAll('\\|', '|') : lines;
  // As in CommonMark, one space on each side allows code that begins or ends with a backtick.
  const start = /^(?:\n| (?=.*\S.* $))/s.exec(text)?.[0].length ?? 0;
  const end = text.length - (/(?:\n|(?<=^ .*\S.*) )$/s.exec(text)?.[0].length ?? 0);
  return locateText(source, text.slice(start, end), from + start);
}

/** The source of a formula, without its marks. An environment has none. */
function toFormulaText(source: string, node: SyntaxNode): Text {
  const [mark = ''] = /^(?:\$\$?|\\[[(])?/.exec(source.slice(node.from, node.to)) ?? [];
  const inner = source.slice(node.from + mark.length, node.to - mark.length);
  const from = node.from + mark.length + inner.length - inner.trimStart().length;
  return locateText(source, joinLines(inner).trim(), from);
}

/** The formula with its marks, in one line. */
function toTypedFormula(source: string, { from, to }: SyntaxNode): string {
  return joinLines(source.slice(from, to));
}

/** Joins lines, without the marks of quotes around them. */
function joinLines(text: string): string {
  return text.replace(/\n[ \t]*(?:>[ \t]?)*/g, ' ');
}

/** Text that may have been joined from several places of the source. */
function locateText(source: string, text: string, from: number): Text {
  return { kind: 'text', text, from: source.startsWith(text, from) ? from : null };
}

function toSourceText(source: string, { from, to }: SyntaxNode): Text {
  return createText(source.slice(from, to), from);
}
