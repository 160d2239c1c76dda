// Finds the unused bytes of an SQLite page (https://www.sqlite.org/fileformat2.html#b_tree_pages). A page split
// copies rows to other pages and leaves the old bytes in unallocated space, which `secure_delete` does not
// reach.

/** A span of bytes within a page. */
export interface Span {
  from: number;
  to: number;
}

/** The header length by the first byte of a b-tree page. */
const headerLengths = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

/**
 * Lists the spans that SQLite never reads: the gap between the cell pointers and the cells, and the bodies of free
 * blocks. Empty if the page is not a valid b-tree page.
 */
export function listUnusedSpans(page: Buffer, usableSize: number, pageCount: number): Span[] {
  // Other pages begin with the number of another page. In files of less than 2^25 pages, no b-tree page does.
  if (page.readUInt32BE(0) <= pageCount) return [];
  const headerLength = headerLengths.get(page.readUInt8(0));
  if (headerLength === undefined) return [];
  const cellCount = page.readUInt16BE(3);
  const pointersEnd = headerLength + 2 * cellCount;
  const contentStart = page.readUInt16BE(5) || 65_536;
  if (pointersEnd > contentStart || contentStart > usableSize) return [];
  for (let offset = headerLength; offset < pointersEnd; offset += 2) {
    const cell = page.readUInt16BE(offset);
    if (cell < contentStart || cell >= usableSize) return [];
  }
  const spans = [{ from: pointersEnd, to: contentStart }];
  let lastBlock = 0;
  for (let block = page.readUInt16BE(1); block !== 0; block = page.readUInt16BE(block)) {
    // A valid list of free blocks is in ascending order.
    if (block < contentStart || block <= lastBlock || block + 4 > usableSize) return [];
    const length = page.readUInt16BE(block + 2);
    if (length < 4 || block + length > usableSize) return [];
    spans.push({ from: block + 4, to: block + length });
    lastBlock = block;
  }
  return spans;
}

const zeros = Buffer.alloc(65_536);

/** Lists the spans that hold bytes other than zero. */
export function listFilledSpans(page: Buffer, spans: readonly Span[]): Span[] {
  return spans.filter(({ from, to }) => page.compare(zeros, 0, to - from, from, to) !== 0);
}
