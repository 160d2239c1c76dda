// GitHub's tables, with two differences: a '|' in code, a formula or a spoiler divides no cells, and no cell is left out.
import type { BlockContext, BlockParser, Element, LeafBlockParser, Line } from '@lezer/markdown';
import { findCode, findFormula } from '#contract/formula-syntax.ts';
import { findSpoilerEnd } from './spoiler-grammar.ts';

const delimiterRow = /^[>\s]*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

/** A line at its place in the message. */
interface Row {
  start: number;
  content: string;
}

/** Where the cells of a line begin, with their '|', and where they end. */
function splitRow({ start, content: row }: Row): [from: number, to: number][] {
  const cells: [number, number][] = [];
  const end = row.trimEnd().length;
  let from = row.length - row.trimStart().length;
  const isOpen = row[from] === '|' && findSpoilerEnd(start + from) < 0;
  for (let offset = isOpen ? from + 1 : from; offset < end; offset++) {
    const code = findCode(row, offset);
    const to = code ? offset + code.length : (findFormula(row, offset)?.to ?? offset);
    const spoilerEnd = row.startsWith('||', offset) ? findSpoilerEnd(start + offset) - start : -1;
    if (to > offset) offset = to - 1;
    else if (spoilerEnd > offset) offset = spoilerEnd - 1;
    else if (row[offset] === '\\') offset++;
    else if (row[offset] === '|') {
      cells.push([from, offset]);
      from = offset;
    }
  }
  if (from < end - 1 || row[from] !== '|') cells.push([from, end]);
  return cells;
}

function createRow(context: BlockContext, type: string, row: string, offset: number): Element {
  const cells = splitRow({ start: offset, content: row }).map(([from, to]) =>
    context.elt(
      'TableCell',
      offset + from,
      offset + to,
      context.parser.parseInline(row.slice(from, to), offset + from),
    ),
  );
  return context.elt(type, offset, offset + row.length, cells);
}

/** Reads the lines of a paragraph, which is a table if its second line divides columns. */
class TableParser implements LeafBlockParser {
  #rows: Element[] | null | undefined;

  nextLine(context: BlockContext, line: Line, leaf: { start: number; content: string }): boolean {
    const row = line.text.slice(line.pos);
    const from = context.lineStart + line.pos;
    if (this.#rows) {
      this.#rows.push(createRow(context, 'TableRow', row, from));
    } else if (this.#rows === undefined) {
      this.#rows = isTable(leaf, { start: from, content: row })
        ? [
            createRow(context, 'TableHeader', leaf.content, leaf.start),
            context.elt('TableDelimiter', from, from + row.length),
          ]
        : null;
    }
    return false;
  }

  finish(context: BlockContext, leaf: { start: number; content: string }): boolean {
    if (!this.#rows) return false;
    const { start, content } = leaf;
    context.addLeafElement(
      leaf as Parameters<BlockContext['addLeafElement']>[0],
      context.elt('Table', start, start + content.length, this.#rows),
    );
    return true;
  }
}

function isTable(header: Row, delimiters: Row): boolean {
  return (
    delimiterRow.test(delimiters.content) && splitRow(header).length === splitRow(delimiters).length
  );
}

function peekRow(context: BlockContext, line: Line): Row {
  const start = context.lineStart + line.text.length + 1 + line.basePos;
  return { start, content: context.peekLine().slice(line.basePos) };
}

export const table: BlockParser = {
  name: 'Table',
  leaf: (_, { content }) => (content.includes('|') ? new TableParser() : null),
  endLeaf(context, line, { parsers }) {
    if (parsers.some((parser) => parser instanceof TableParser)) return false;
    const start = context.lineStart + line.basePos;
    const content = line.text.slice(line.basePos);
    return content.includes('|') && isTable({ start, content }, peekRow(context, line));
  },
  before: 'SetextHeading',
};
