// The tables that are copied between SQLite and PostgreSQL. The list comes from the databases themselves, so no copy can
// miss a table or a column.
import type SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { StartupError } from '#server/base/startup-failure.ts';
import type { Database } from '#server/store/tables.ts';

/** PostgreSQL has all of these types. SQLite stores booleans as 0 and 1, and dates as text. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'boolean' | 'date' | 'bytes';

export interface Column {
  name: string;
  type: ColumnType;
}

export interface Table {
  name: string;
  /** Sorted by name. */
  columns: readonly Column[];
  primaryKey: readonly string[];
}

const columnTypes: Readonly<Record<string, ColumnType>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  'timestamp with time zone': 'date',
  bytea: 'bytes',
};

/**
 * @returns every table of the schema, after the tables that its foreign keys refer to
 * @throws {StartupError} if the engines have different tables or columns
 * @throws {Error} if a column has a type that no copy supports
 */
export async function describeTables(
  sqlite: SQLite.Database,
  postgres: Database,
): Promise<Table[]> {
  const types = await listColumnTypes(postgres);
  const tables = listTableNames(sqlite).map((name): Table => {
    const columns = sqlite.pragma(`table_info("${name}")`) as { name: string; pk: number }[];
    const expected = types.get(name) ?? new Map<string, string>();
    if (columns.length !== expected.size) {
      throw new StartupError(
        `table "${name}" differs between SQLite and PostgreSQL. Remove what this version of Backchannel has not made.`,
      );
    }
    return {
      name,
      columns: columns
        .map((column) => {
          const type = columnTypes[expected.get(column.name) ?? 'missing'];
          if (!type) throw new Error(`no copy supports the type of ${name}.${column.name}.`);
          return { name: column.name, type };
        })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      primaryKey: columns
        .filter(({ pk }) => pk > 0)
        .toSorted((a, b) => a.pk - b.pk)
        .map((column) => column.name),
    };
  });
  return sortParentsFirst(tables, sqlite);
}

/** Tables of running servers. */
const runtimeTables = new Set(['leases', 'commitReceipts']);

/** Leaves out the tables of migrations, which each database fills itself, and those of running servers. */
function listTableNames(sqlite: SQLite.Database): string[] {
  const list = sqlite.pragma('table_list') as { schema: string; name: string }[];
  return list
    .filter(({ schema }) => schema === 'main')
    .map(({ name }) => name)
    .filter((name) => !/^(sqlite|kysely)_/.test(name) && !runtimeTables.has(name))
    .toSorted();
}

/** PostgreSQL's type of each column, by table. */
async function listColumnTypes(postgres: Database): Promise<Map<string, Map<string, string>>> {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select table_name as "table", column_name as "column", data_type as "type"
    from information_schema.columns where table_schema = current_schema()`.execute(postgres);
  const types = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    types.set(table, (types.get(table) ?? new Map<string, string>()).set(column, type));
  }
  return types;
}

function sortParentsFirst(tables: readonly Table[], sqlite: SQLite.Database): Table[] {
  const ordered = new Set<Table>();
  const add = (table: Table) => {
    const parents = sqlite.pragma(`foreign_key_list("${table.name}")`) as { table: string }[];
    for (const parent of tables) {
      const isParent = parents.some(({ table: name }) => name === parent.name);
      if (isParent && parent !== table && !ordered.has(parent)) add(parent);
    }
    ordered.add(table);
  };
  tables.forEach(add);
  return [...ordered];
}

/** The tables and views of the database's schema, without those of PostgreSQL's extensions. */
export async function listPostgresTables(postgres: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relkind in ('r', 'p', 'f', 'v', 'm')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`.execute(
    postgres,
  );
  return rows.map(({ name }) => name);
}

/** Quotes the names for a list in SQL. */
export function quoteList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
