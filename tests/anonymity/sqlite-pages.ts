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

/** The cells that each commit in the -wal file added to or removed from a page, in order. */
export function listCommits(file: Buffer, wal: Buffer): string[][] {
  const pages = new Map<number, ReadonlySet<string>>();
  for (const [number, cells] of listLeaves(file)) {
    pages.set(number, new Set(cells.map(({ content }) => content)));
  }
  const commits: string[][] = [];
  let changes: string[] = [];
  const length = wal.length > 0 ? 24 + wal.readUInt32BE(8) : Infinity;
  for (let offset = 32; offset + length <= wal.length; offset += length) {
    const number = wal.readUInt32BE(offset);
    const cells = listCells(wal.subarray(offset + 24, offset + length), number === 1 ? 100 : 0);
    const now = new Set(cells.map(({ content }) => content));
    changes.push(...now.symmetricDifference(pages.get(number) ?? new Set<string>()));
    pages.set(number, now);
    // The last frame of a commit contains the database's size.
    if (wal.readUInt32BE(offset + 4) === 0) continue;
    commits.push(changes);
    changes = [];
  }
  return commits;
}

const indexLeaf = 0x0a;

function listCells(page: Buffer, header: number): Cell[] {
  if (page[header] !== indexLeaf) return [];
  const count = page.readUInt16BE(header + 3);
  return Array.from({ length: count }, (_, n) => {
    const offset = page.readUInt16BE(header + 8 + 2 * n);
    const { value, length } = parseVarint(page, offset);
    const start = offset + length;
    const local = toLocalLength(value, page.length);
    const content = page.toString('latin1', start, start + local);
    return { offset, content, overflow: local < value ? page.readUInt32BE(start + local) : 0 };
  });
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

function getPageSize(file: Buffer): number {
  return file.length > 0 ? file.readUInt16BE(16) : Infinity;
}
