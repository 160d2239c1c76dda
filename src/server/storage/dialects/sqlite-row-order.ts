// SQLite reveals the order of inserts: the WAL holds the order of commits, and each page the order of its
// cells. In account tables that order could link accounts to personas, whose messages have times. So this
// rewrites the rows around each change in random order.
import SQLite from 'better-sqlite3';
import type { Log } from '../../log.ts';
import { accountTables, type RowOrderEraser } from '../row-order.ts';

/**
 * Rows rewritten before and after a changed row in each b-tree. This is as many of the smallest rows as a
 * 4096-byte page holds, so the changed row's whole page is rewritten.
 */
const neighbours = 72;
/** Rewriting costs more than the change, so it is limited to a third of the time. */
const pauseFactor = 2;
/** Another program writes, or reads a snapshot, such as a backup. */
const busyRetryMs = 100;
/** For other errors, such as a full disk. */
const failedRetryMs = 2_000;

interface Table {
  name: string;
  primaryKey: string[];
  /** The columns of each b-tree in its order: the primary key and each index. */
  trees: string[][];
  /** The columns that order the b-trees. The triggers record their values for each changed row. */
  columns: string[];
}

/**
 * Starts with all rows: a killed server or an earlier version may have left an order.
 *
 * @param database the server's only handle, after migration
 * @param file the file of the same database
 */
export function createRowOrderEraser(
  database: SQLite.Database,
  file: string,
  log: Log,
): RowOrderEraser {
  // A second handle without triggers and foreign keys: reinserting a row has no side effects.
  const own = new SQLite(file, { timeout: 0 });
  own.pragma('synchronous = FULL');
  own.pragma('foreign_keys = OFF');
  own.pragma('secure_delete = ON');
  own.pragma('temp_store = MEMORY');
  const tables = accountTables.map((name) => describeTable(own, name));
  const rewriters = new Map(tables.map((table) => [table.name, createRewriter(own, table)]));

  /** The recorded values of the changed rows, by table. */
  const changed = new Map<string, unknown[][]>();
  let all = true;
  let timer: NodeJS.Timeout | null = null;
  let due = false;
  let pausedUntil = 0;
  let failing = false;
  let stopped = false;

  database.function('note_account_row', { varargs: true }, (name: unknown, ...values) => {
    const rows = changed.get(String(name)) ?? [];
    rows.push(values);
    changed.set(String(name), rows);
    schedule();
  });
  for (const table of tables) for (const sql of triggersOf(table)) database.exec(sql);

  const rewrite = own.transaction(() => {
    for (const { name } of tables) {
      const rewriter = rewriters.get(name);
      if (all) rewriter?.rewriteAll();
      else rewriter?.rewriteAround(changed.get(name) ?? []);
    }
  });

  /** Runs right after the commit, before other events. */
  function schedule(): void {
    if (stopped || due || timer) return;
    const delayMs = pausedUntil - performance.now();
    if (delayMs > 0) return later(delayMs);
    due = true;
    setImmediate(run);
  }

  function later(delayMs: number): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = null;
      run();
    }, delayMs);
  }

  function run(): void {
    due = false;
    if (stopped) return;
    const began = performance.now();
    // SQLite would refuse the write lock during the server's own transaction.
    if (database.inTransaction) return later(1);
    if (erase()) pausedUntil = performance.now() + (performance.now() - began) * pauseFactor;
    else later(failing ? failedRetryMs : busyRetryMs);
  }

  /** @returns false if it must run again */
  function erase(): boolean {
    try {
      if (all || changed.size > 0) rewrite.immediate();
      all = false;
      changed.clear();
      const [result] = own.pragma('wal_checkpoint(truncate)') as { busy: number }[];
      failing = false;
      return result?.busy === 0;
    } catch (error) {
      const busy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (!busy && !failing) log.warn('order.failed', { error });
      failing ||= !busy;
      return false;
    }
  }

  run();

  return {
    async stop() {
      if (timer) clearTimeout(timer);
      if (due || timer) erase();
      stopped = true;
      own.close();
    },
  };
}

function describeTable(database: SQLite.Database, name: string): Table {
  const columnsOf = (index: string) =>
    (database.pragma(`index_info("${index}")`) as { name: string }[]).map((column) => column.name);
  const indexes = database.pragma(`index_list("${name}")`) as { name: string; origin: string }[];
  const primaryKey = indexes
    .filter(({ origin }) => origin === 'pk')
    .flatMap(({ name: index }) => columnsOf(index));
  const trees = indexes.map(({ name: index }) => [
    ...new Set([...columnsOf(index), ...primaryKey]),
  ]);
  return { name, primaryKey, trees, columns: [...new Set(trees.flat())] };
}

function triggersOf({ name, columns }: Table): string[] {
  const of = (row: string) => columns.map((column) => `${row}."${column}"`).join(', ');
  const events: [string, string[]][] = [
    ['insert', ['new']],
    ['update', ['old', 'new']],
    ['delete', ['old']],
  ];
  return events.map(([event, rows]) => {
    const notes = rows.map((row) => `select note_account_row('${name}', ${of(row)});`).join(' ');
    return `create temp trigger "${name}_${event}" after ${event} on main."${name}" begin ${notes} end`;
  });
}

/** Removes rows and reinserts them in random order, which becomes the order of their cells. */
function createRewriter(database: SQLite.Database, { name, primaryKey, trees, columns }: Table) {
  const list = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ');
  const places = (of: readonly string[]) => of.map((column) => `@${column}`).join(', ');
  const taken = `temp."taken_${name}"`;
  const key = list(primaryKey);
  database.exec(`create temp table "taken_${name}" as select * from main."${name}" limit 0`);
  database.exec(`create unique index temp."taken_${name}_key" on "taken_${name}" (${key})`);

  const take = trees.flatMap((tree) => {
    const [values, order] = [places(tree), list(tree)];
    const backwards = tree.map((column) => `"${column}" desc`).join(', ');
    const from = `insert or ignore into ${taken} select * from main."${name}" where (${order})`;
    return [
      `${from} >= (${values}) order by ${order} limit ${neighbours}`,
      `${from} < (${values}) order by ${backwards} limit ${neighbours}`,
    ].map((sql) => database.prepare(sql));
  });
  const takeAll = database.prepare(`insert into ${taken} select * from main."${name}"`);
  const remove = database.prepare(
    `delete from main."${name}" where (${key}) in (select ${key} from ${taken})`,
  );
  const removeAll = database.prepare(`delete from main."${name}"`);
  const putBack = database.prepare(
    `insert into main."${name}" select * from ${taken} order by random()`,
  );
  const forget = database.prepare(`delete from ${taken}`);

  function replace(removal: SQLite.Statement): void {
    const removed = removal.run().changes;
    const back = putBack.run().changes;
    if (back !== removed) throw new Error('Rows would be lost.');
    forget.run();
  }

  return {
    rewriteAll() {
      takeAll.run();
      replace(removeAll);
    },
    /** @param rows the values of `columns` of each changed row */
    rewriteAround(rows: readonly unknown[][]) {
      if (rows.length === 0) return;
      for (const row of rows) {
        const named = Object.fromEntries(columns.map((column, n) => [column, row[n]]));
        for (const statement of take) statement.run(named);
      }
      replace(remove);
    },
  };
}
