// Random rows for every table of an SQLite database, whatever its schema is.
import SQLite from 'better-sqlite3';
import { createRandom, type Random } from '#tests/support/random.ts';

interface Column {
  name: string;
  type: string;
  notnull: number;
}

/** The columns of each table, except those of migrations. */
export function listColumns(database: SQLite.Database): Record<string, Column[]> {
  const names = database
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all()
    .filter((name) => !name.startsWith('kysely_'));
  return Object.fromEntries(
    names.map((name) => [name, database.pragma(`table_info("${name}")`) as Column[]]),
  );
}

const texts = [
  '',
  ' ',
  'null',
  'NULL',
  '{}',
  '"quoted", \\ {escaped}',
  "it's",
  'two\nlines\r\n\ttab',
  'Grüße, 日本語, العربية',
  '👩‍👩‍👧 e\u0301 \u00e9',
  '\u0001\u001f\u007f\u0080\ufffd\uffff',
  '{"text":"a\\u0000b\\ud800"}',
  '0',
  '1e3',
];

/** Adds up to this many rows to each table: rows that break a unique key are skipped. */
export function insertRandomRows(file: string, seed: number, count: number): void {
  const random = createRandom(seed);
  const database = new SQLite(file);
  database.pragma('foreign_keys = off');
  const tables = listColumns(database);
  for (const [table, columns] of Object.entries(tables)) {
    const list = columns.map(({ name }) => `"${name}"`).join(', ');
    const places = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `insert or ignore into "${table}" (${list}) values (${places})`,
    );
    for (let n = 0; n < count; n++) {
      insert.run(columns.map((column) => createValue(random, column)));
    }
  }
  // Keys of other tables refer to existing rows.
  for (const table of Object.keys(tables)) {
    const keys = database.pragma(`foreign_key_list("${table}")`) as {
      table: string;
      from: string;
      to: string;
    }[];
    for (const { table: parent, from, to } of keys) {
      database.exec(`update or ignore "${table}" set "${from}" =
        (select "${to}" from "${parent}" where "${table}"."${from}" is not null order by random() limit 1)`);
      database.exec(
        `delete from "${table}" where "${from}" not in (select "${to}" from "${parent}")`,
      );
    }
  }
  database.close();
}

function createValue(random: Random, { name, type, notnull }: Column) {
  if (!notnull && random.chance(0.3)) return null;
  if (type.toLowerCase() === 'bigint') {
    return random.pick([
      0,
      -1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      random.int(0, 1e13),
    ]);
  }
  if (type.toLowerCase() === 'integer') {
    return random.pick([0, 1, -1, 2 ** 31 - 1, random.int(0, 1e9)]);
  }
  if (type.toLowerCase() === 'blob') {
    return Buffer.from(Array.from({ length: random.int(0, 50) }, () => random.int(0, 255)));
  }
  // PostgreSQL limits the size of indexed values.
  const isLong = /^(text|entries|content|evidence|shape|images)$/.test(name) && random.chance(0.05);
  const length = isLong ? 20_000 : random.int(0, 12);
  return random.pick(texts) + String.fromCodePoint(...createCodePoints(random, length));
}

/** Picks code points that are neither NUL nor half of a surrogate pair. */
function createCodePoints(random: Random, length: number): number[] {
  return Array.from({ length }, () =>
    random.pick([random.int(1, 0x7f), random.int(1, 0xd7ff), random.int(0xe000, 0x10ffff)]),
  );
}
