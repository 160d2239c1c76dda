// Reads the bytes of SQLite's files, as an attacker can: https://www.sqlite.org/fileformat2.html

export interface Cell {
  /** SQLite fills a page from its end, so the newest cell has the smallest offset. */
  offset: number;
  content: string;
  /** The page on which a long row goes on; 0 if the cell has all of it. */
  overflow: number;
}

/** The cells of each leaf page of an index or of a table without rowids, by page number. */
export function listLeaves(file: Buffer): Map<number, Cell[]> {
  const size = getPageSize(file);
  const leaves = new Map<number, Cell[]>();
  for (let number = 1; number * size <= file.length; number++) {
    const cells = listCells(
      file.subarray((number - 1) * size, number * size),
      number === 1 ? 100 : 0,
    );
    if (cells.length > 0) leaves.set(number, cells);
  }
  return leaves;
}

/** A cell that a commit added to a page or removed from it. */
export interface ChangedCell {
  page: number;
  content: string;
}

/** The cells that each commit in the -wal file changed, in order. */
export function listCommits(file: Buffer, wal: Buffer): ChangedCell[][] {
  const pages = new Map<number, ReadonlySet<string>>();
  for (const [number, cells] of listLeaves(file)) {
    pages.set(number, new Set(cells.map(({ content }) => content)));
  }
  const commits: ChangedCell[][] = [];
  let changes: ChangedCell[] = [];
  const length = wal.length > 0 ? 24 + wal.readUInt32BE(8) : Infinity;
  for (let offset = 32; offset + length <= wal.length; offset += length) {
    const number = wal.readUInt32BE(offset);
    const cells = listCells(wal.subarray(offset + 24, offset + length), number === 1 ? 100 : 0);
    const now = new Set(cells.map(({ content }) => content));
    for (const content of now.symmetricDifference(pages.get(number) ?? new Set<string>())) {
      changes.push({ page: number, content });
    }
    pages.set(number, now);
    // The last frame of a commit contains the database's size.
    if (wal.readUInt32BE(offset + 4) === 0) continue;
    commits.push(changes);
    changes = [];
  }
  return commits;
}

const indexLeaf = 0x0a;
const indexInner = 0x02;

/** @param header 100 on the first page, else 0 */
export function listCells(page: Buffer, header = 0, withInner = false): Cell[] {
  const isInner = page[header] === indexInner;
  if (page[header] !== indexLeaf && !(withInner && isInner)) return [];
  const count = page.readUInt16BE(header + 3);
  return Array.from({ length: count }, (_, n) => {
    const offset = page.readUInt16BE(header + (isInner ? 12 : 8) + 2 * n);
    // A cell of an inner page begins with the number of a page.
    const { value, length } = parseVarint(page, offset + (isInner ? 4 : 0));
    const start = offset + (isInner ? 4 : 0) + length;
    const local = toLocalLength(value, page.length);
    const content = page.toString('latin1', start, start + local);
    return { offset, content, overflow: local < value ? page.readUInt32BE(start + local) : 0 };
  });
}

/** The sizes of values that are no text and no blob, by their type. 8 and 9 are the numbers 0 and 1. */
const sizesOfNumbers = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** The values of a cell as text, until the first that the page does not hold completely. */
export function parseRecord(content: string): string[] {
  const bytes = Buffer.from(content, 'latin1');
  const header = parseVarint(bytes, 0);
  const values: string[] = [];
  let at = header.value;
  for (let n = header.length; n < header.value;) {
    const { value: type, length } = parseVarint(bytes, n);
    n += length;
    const size = sizesOfNumbers[type] ?? (type - (type % 2) - 12) / 2;
    if (at + size > bytes.length) break;
    values.push(toText(type, bytes.subarray(at, at + size)));
    at += size;
  }
  return values;
}

function toText(type: number, bytes: Buffer): string {
  if (type >= 12) return bytes.toString(type % 2 === 0 ? 'latin1' : 'utf8');
  if (type >= 8) return String(type - 8);
  return bytes.length > 0 ? String(bytes.readIntBE(0, Math.min(bytes.length, 6))) : '';
}

/** The number of bytes of a row that an index page holds, without reserved bytes at its end. */
function toLocalLength(value: number, size: number): number {
  const maxLength = Math.floor(((size - 12) * 64) / 255) - 23;
  if (value <= maxLength) return value;
  const minLength = Math.floor(((size - 12) * 32) / 255) - 23;
  const rest = minLength + ((value - minLength) % (size - 4));
  return rest <= maxLength ? rest : minLength;
}

function parseVarint(page: Buffer, offset: number): { value: number; length: number } {
  let value = 0;
  for (let length = 1; ; length++) {
    const byte = page[offset + length - 1] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, length };
  }
}

export function getPageSize(file: Buffer): number {
  return file.length > 0 ? file.readUInt16BE(16) : Infinity;
}
