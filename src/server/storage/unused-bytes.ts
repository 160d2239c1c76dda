// Which bytes of a SQLite page hold no content: https://www.sqlite.org/fileformat2.html#b_tree_pages
// A page split copies rows to other pages and leaves the old bytes in the page's unallocated space, where
// `secure_delete` does not reach them.

/** A span of bytes within a page. */
export interface Span {
  from: number;
  to: number;
}

/** The first byte of a b-tree page. In files below `maxPages`, every other kind of page begins with 0. */
const headerLengths = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

/** From here on, the number of a page could begin with a byte that looks like a b-tree page's. */
export const maxPages = 2 ** 25;

/**
 * The spans that SQLite never reads: the space between the cell pointers and the cells, and the bodies of
 * free blocks. None for a page that is no sound b-tree page.
 */
export function unusedSpans(page: Buffer, usableSize: number): Span[] {
  const headerLength = headerLengths.get(page.readUInt8(0));
  if (headerLength === undefined) return [];
  const cellCount = page.readUInt16BE(3);
  const pointersEnd = headerLength + 2 * cellCount;
  const contentStart = page.readUInt16BE(5) || 65_536;
  if (pointersEnd > contentStart || contentStart > usableSize) return [];
  for (let at = headerLength; at < pointersEnd; at += 2) {
    const cell = page.readUInt16BE(at);
    if (cell < contentStart || cell >= usableSize) return [];
  }
  const spans = [{ from: pointersEnd, to: contentStart }];
  let last = 0;
  for (let block = page.readUInt16BE(1); block !== 0; block = page.readUInt16BE(block)) {
    // Free blocks are in ascending order; anything else is no list of them.
    if (block < contentStart || block <= last || block + 4 > usableSize) return [];
    const length = page.readUInt16BE(block + 2);
    if (length < 4 || block + length > usableSize) return [];
    spans.push({ from: block + 4, to: block + length });
    last = block;
  }
  return spans;
}

const zeros = Buffer.alloc(65_536);

/** Those of the spans that hold anything but zeros. */
export function filledSpans(page: Buffer, spans: readonly Span[]): Span[] {
  return spans.filter(({ from, to }) => page.compare(zeros, 0, to - from, from, to) !== 0);
}
