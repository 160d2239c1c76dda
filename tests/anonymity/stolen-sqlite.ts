// Reads a stolen SQLite file by its catalogue, and where each row lies in it.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { getPageSize, listCells, listCommits, parseRecord } from './sqlite-pages.ts';
import type { Region, StolenCopy, StolenRow } from './stolen-copy.ts';

/** @param file a running database with its -wal file, or a backup */
export function stealSqlite(file: string): StolenCopy {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-stolen-'));
  const copied = join(folder, 'stolen.sqlite');
  for (const end of ['', '-wal']) {
    if (existsSync(file + end)) copyFileSync(file + end, copied + end);
  }
  const bytes = readFileSync(copied);
  const wal = existsSync(`${copied}-wal`) ? readFileSync(`${copied}-wal`) : Buffer.alloc(0);
  const db = new SQLite(copied);
  try {
    const reader = new SqliteReader(db);
    reader.addPlaces(db.serialize());
    reader.addCommits(bytes, wal);
    return {
      tables: reader.tables,
      regions: [
        ...reader.toRegions('the file', readPages(bytes)),
        ...reader.toRegions('-wal', readWalPages(wal)),
      ],
    };
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

/** A table's own tree, or one of its indexes: both hold the key of each row. */
interface Tree {
  table: string;
  /** The places of the key's values in a cell. */
  keyAt: readonly number[];
}

class SqliteReader {
  readonly #db: SQLite.Database;
  readonly tables = new Map<string, StolenRow[]>();
  readonly #trees = new Map<string, Tree>();
  readonly #rowsByKey = new Map<string, StolenRow>();
  /** The name of the table or index of each page. */
  readonly #owners: ReadonlyMap<number, string>;
  readonly #tablesByName: ReadonlyMap<string, string>;

  constructor(db: SQLite.Database) {
    this.#db = db;
    const schema = this.#query('select type, name, tbl_name as "table" from sqlite_schema');
    this.#tablesByName = new Map(schema.map((row) => [String(row['name']), String(row['table'])]));
    this.#owners = new Map(
      this.#query('select name, pageno from dbstat').map((page) => [
        Number(page['pageno']),
        String(page['name']),
      ]),
    );
    const rowidTables = new Set(
      this.#query('select name from pragma_table_list where wr = 0').map(({ name }) => name),
    );
    for (const { type, name } of schema) {
      if (type === 'table') this.#readTable(String(name), rowidTables.has(name));
    }
  }

  #query(sql: string): Record<string, unknown>[] {
    return this.#db.prepare<[], Record<string, unknown>>(sql).all();
  }

  #readTable(table: string, hasRowid: boolean): void {
    const found = this.#query(
      `select *${hasRowid ? ', rowid as "the rowid"' : ''} from "${table}"`,
    );
    const rows = found.map(({ 'the rowid': rowid, ...values }): StolenRow => ({
      values,
      places: hasRowid ? { rowid: { group: 0, at: Number(rowid) } } : {},
    }));
    this.tables.set(table, rows);
    // The order of its pages says no more than the rowids.
    if (hasRowid) return;
    const key = this.#query(
      `select name from pragma_table_info('${table}') where pk > 0 order by pk`,
    ).map(({ name }) => String(name));
    for (const row of rows) {
      this.#rowsByKey.set(
        toKey(
          table,
          key.map((column) => row.values[column]),
        ),
        row,
      );
    }
    this.#trees.set(table, { table, keyAt: key.map((_, n) => n) });
    const indexes = this.#query(
      `select name from pragma_index_list('${table}') where origin <> 'pk'`,
    );
    for (const { name } of indexes) {
      const columns = this.#query(`select name from pragma_index_xinfo('${String(name)}')`);
      const keyAt = key.map((column) => columns.findIndex((entry) => entry['name'] === column));
      this.#trees.set(String(name), { table, keyAt });
    }
  }

  #findRow(page: number, content: string): StolenRow | undefined {
    const tree = this.#trees.get(this.#owners.get(page) ?? '');
    if (!tree) return undefined;
    const values = parseRecord(content);
    const key = tree.keyAt.map((at) => values[at]);
    return this.#rowsByKey.get(toKey(tree.table, key));
  }

  /** @param file with what the -wal file has */
  addPlaces(file: Buffer): void {
    for (const { number, bytes } of readPages(file)) {
      for (const { offset, content, overflow } of listCells(bytes, number === 1 ? 100 : 0, true)) {
        const row = this.#findRow(number, content);
        if (!row) continue;
        // SQLite fills a page from its end.
        row.places[`place in ${this.#owners.get(number)}`] = { group: number, at: -offset };
        if (overflow > 0) row.places['page of the long value'] = { group: 0, at: overflow };
      }
    }
  }

  addCommits(file: Buffer, wal: Buffer): void {
    for (const [n, commit] of listCommits(file, wal).entries()) {
      for (const { page, content } of commit) {
        const row = this.#findRow(page, content);
        if (row) row.places['commit in -wal'] = { group: 0, at: n };
      }
    }
  }

  toRegions(file: string, pages: readonly Page[]): Region[] {
    return pages.map(({ number, bytes }) => {
      const owner = this.#owners.get(number) ?? '';
      return { file, table: this.#tablesByName.get(owner) ?? owner, bytes };
    });
  }
}

const toKey = (table: string, values: readonly unknown[]) => [table, ...values].join('\0');

interface Page {
  number: number;
  bytes: Buffer;
}

function readPages(file: Buffer): Page[] {
  const size = getPageSize(file);
  return Array.from({ length: Math.floor(file.length / size) }, (_, n) => ({
    number: n + 1,
    bytes: file.subarray(n * size, (n + 1) * size),
  }));
}

/** The frames of the log, also those of earlier rounds: https://www.sqlite.org/fileformat2.html#walformat */
function readWalPages(wal: Buffer): Page[] {
  const pages: Page[] = [];
  const length = wal.length > 0 ? 24 + wal.readUInt32BE(8) : Infinity;
  for (let offset = 32; offset + length <= wal.length; offset += length) {
    const bytes = wal.subarray(offset + 24, offset + length);
    pages.push({ number: wal.readUInt32BE(offset), bytes });
  }
  return pages;
}
