// GitHub's tables, with two differences: a '|' in code or in a formula divides no cells, and no cell is left out.
import type { BlockContext, BlockParser, Element, LeafBlockParser, Line } from '@lezer/markdown';
import { findCode, findFormula } from './formula-syntax.ts';

const delimiterRow = /^[>\s]*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

/** Where the cells of a line begin, with their '|', and where they end. */
function splitRow(row: string): [from: number, to: number][] {
  const cells: [number, number][] = [];
  const end = row.trimEnd().length;
  let from = row.length - row.trimStart().length;
  for (let offset = row[from] === '|' ? from + 1 : from; offset < end; offset++) {
    const code = findCode(row, offset);
    const to = code ? offset + code.length : (findFormula(row, offset)?.to ?? offset);
    if (to > offset) offset = to - 1;
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
  const cells = splitRow(row).map(([from, to]) =>
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
      this.#rows = isTable(leaf.content, row)
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

function isTable(header: string, delimiters: string): boolean {
  return delimiterRow.test(delimiters) && splitRow(header).length === splitRow(delimiters).length;
}

export const table: BlockParser = {
  name: 'Table',
  leaf: (_, { content }) => (content.includes('|') ? new TableParser() : null),
  endLeaf(context, line, { parsers }) {
    if (parsers.some((parser) => parser instanceof TableParser)) return false;
    const row = line.text.slice(line.basePos);
    return row.includes('|') && isTable(row, context.peekLine().slice(line.basePos));
  },
  before: 'SetextHeading',
};
