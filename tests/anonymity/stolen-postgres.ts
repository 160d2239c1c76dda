// The copies of a PostgreSQL database that a thief can have: its files, its log, the samples of its statistics, and a dump.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '#tests/support/test-database.ts';
import { findPostgres } from '../../scripts/start-postgres.ts';
import type { Region, StolenCopy, StolenRow } from './stolen-copy.ts';

type Query = TestDatabase['query'];

export async function stealPostgres({ query, settings }: TestDatabase): Promise<StolenCopy> {
  // A checkpoint drops the older log, so this comes first.
  const relations = await listRelations(query);
  const log = await readLog(query, new Map(relations.map(({ file, table }) => [file, table])));
  // Its samples have values of rows.
  await query('analyze');
  // Writes the pages in memory to the files.
  await query('checkpoint');
  const names = new Set(relations.filter(({ name, table }) => name === table).map((r) => r.table));
  const tables = new Map<string, StolenRow[]>();
  for (const table of names) tables.set(table, await readRows(query, table));
  const regions = [
    ...(await readFiles(query, relations)),
    ...(await readSamples(query)),
    ...readDump(settings.DATABASE_URL!),
    ...log,
  ];
  return { tables, regions };
}

interface Relation {
  oid: string;
  name: string;
  /** The table that it is, or is an index or the long values of. */
  table: string;
  file: string;
}

/** The catalogues themselves are not listed, because they hold no row of ours but the samples: see `readSamples`. */
async function listRelations(query: Query): Promise<Relation[]> {
  const rows = await query(
    `select r.oid::text, r.relname as name, t.relname as table, pg_relation_filenode(r.oid)::text as file
     from pg_class t join pg_class r on r.oid in (t.oid, t.reltoastrelid)
       or r.oid in (select indexrelid from pg_index where indrelid in (t.oid, t.reltoastrelid))
     where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace`,
  );
  return rows.map((row) => ({
    oid: String(row['oid']),
    name: String(row['name']),
    table: String(row['table']),
    file: String(row['file']),
  }));
}

async function readRows(query: Query, table: string): Promise<StolenRow[]> {
  const found = await query(
    `select *, (ctid::text::point)[0] * 10000 + (ctid::text::point)[1] as "the place",
     xmin::text::bigint as "the writer" from "${table}"`,
  );
  const rows = found.map(({ 'the place': place, 'the writer': writer, ...values }): StolenRow => ({
    values,
    places: {
      'place in the table': { group: 0, at: Number(place) },
      transaction: { group: 0, at: Number(writer) },
    },
  }));
  const [toast] = await query(
    `select reltoastrelid::regclass::text as name from pg_class
     where oid = '"${table}"'::regclass and reltoastrelid <> 0`,
  );
  if (!toast) return rows;
  // Random values are stored without compression, so that a long value begins as its first part does.
  const parts = await query(
    `select chunk_id::bigint as id, xmin::text::bigint as writer, substring(chunk_data, 1, 64) as start
     from ${String(toast['name'])} where chunk_seq = 0`,
  );
  for (const { id, writer, start } of parts) {
    const row = rows.find(({ values }) =>
      Object.values(values).some((value) => beginsWith(value, start as Buffer)),
    );
    if (!row) continue;
    row.places['number of the long value'] = { group: 0, at: Number(id) };
    row.places['transaction of the long value'] = { group: 0, at: Number(writer) };
  }
  return rows;
}

function beginsWith(value: unknown, start: Buffer): boolean {
  if (Buffer.isBuffer(value)) return value.subarray(0, start.length).equals(start);
  return typeof value === 'string' && value.startsWith(start.toString('utf8'));
}

async function readFiles(query: Query, relations: readonly Relation[]): Promise<Region[]> {
  const regions: Region[] = [];
  for (const { table, oid } of relations) {
    const [file] = await query(
      `select pg_read_binary_file(pg_relation_filepath('${oid}')) as bytes`,
    );
    regions.push({ file: 'the files', table, bytes: file!['bytes'] as Buffer });
  }
  return regions;
}

async function readSamples(query: Query): Promise<Region[]> {
  const samples = await query(
    `select tablename, most_common_vals::text as common, histogram_bounds::text as bounds from pg_stats
     where schemaname = 'public'`,
  );
  return samples.map(({ tablename, common, bounds }) => ({
    file: 'the statistics',
    table: String(tablename),
    bytes: Buffer.from(`${String(common)}\n${String(bounds)}`),
  }));
}

function runTool(name: string, args: readonly string[]): Buffer {
  const { stdout } = spawnSync(join(findPostgres()!, name), args, { maxBuffer: 2 ** 30 });
  return stdout;
}

function readDump(url: string): Region[] {
  const dump = runTool('pg_dump', ['--dbname', url]).toString('latin1');
  const parts = [...dump.matchAll(/^COPY public\."?(\w+)"? [^]*?^\\\.$/gm)];
  if (parts.length === 0) throw new Error('There is no dump.');
  return parts.map(([text, table]) => ({
    file: 'a dump',
    table: table!,
    bytes: Buffer.from(text, 'latin1'),
  }));
}

/** How much of the log is read. All databases of the server write it. */
const segmentCount = 4;

/** The records of the write-ahead log that are about our tables, by table. An archive holds the same files. */
async function readLog(query: Query, tablesByFile: ReadonlyMap<string, string>): Promise<Region[]> {
  const segments = await query(
    `select name, pg_read_binary_file('pg_wal/' || name) as bytes,
       (select oid from pg_database where datname = current_database()) as database
     from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' and name <= pg_walfile_name(pg_current_wal_lsn())
     order by name desc limit ${segmentCount}`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-wal-'));
  const regions: Region[] = [];
  for (const { name, bytes, database } of segments) {
    const file = join(folder, String(name));
    writeFileSync(file, bytes as Buffer);
    const records = runTool('pg_waldump', [file]).toString('latin1');
    const content = readFileSync(file);
    const parts = new Map<string, Buffer[]>();
    const toOffset = (low: string) => Number.parseInt(low, 16) % content.length;
    for (const [, length, low, base, relation] of records.matchAll(
      /len \(rec\/tot\): +\d+\/ *(\d+),.*? lsn: [0-9A-F]+\/([0-9A-F]+),.*?(?: rel \d+\/(\d+)\/(\d+)|$)/gm,
    )) {
      const table = tablesByFile.get(relation ?? '');
      if (Number(base) !== Number(database) || table === undefined) continue;
      const start = toOffset(low!);
      // A record goes on after the heads of the pages that it crosses.
      const end = start + Number(length) + 40 * Math.ceil(Number(length) / 8192);
      const list = parts.get(table) ?? [];
      list.push(content.subarray(start, end));
      parts.set(table, list);
    }
    for (const [table, list] of parts) {
      regions.push({ file: 'pg_wal', table, bytes: Buffer.concat(list) });
    }
  }
  rmSync(folder, { recursive: true });
  if (regions.length === 0) throw new Error('The log has no record of ours.');
  return regions;
}
