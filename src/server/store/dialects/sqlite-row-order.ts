// SQLite reveals the order of inserts: the WAL holds the order of commits, and each page the order of its
// cells. In account tables that order could link accounts to personas, whose messages have times. So this
// rewrites the rows around each change in random order.
import SQLite from 'better-sqlite3';
import type { Log } from '#server/base/log.ts';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { accountTables, type RowOrderEraser } from '#server/store/tables.ts';
import { emptyWalSync } from '#server/store/erasure/wal-checkpointer.ts';

/**
 * Rows rewritten before and after a changed row in each b-tree. This is as many of the smallest rows as a
 * 4096-byte page holds, so the changed row's whole page is rewritten.
 */
const neighborCount = 72;
/**
 * The rest of each row of preferences is on overflow pages, whose numbers would tell which rows were written together. They are
 * too large to be rewritten at each start: the daily run does it (reseal-member-rows.ts).
 */
const neighborCounts: Partial<Record<string, number>> = { readMarks: 42, preferences: 8 };
/**
 * A read mark changes with each visit, to a value of the same size, which stays in its place. So only new ones are put into another
 * order: a lecture would otherwise rewrite thousands of rows each minute.
 */
const tableUpdatedInPlace = 'readMarks';
/** Rewriting costs more than the change, so it is limited to a third of the time. */
const pauseFactor = 2;
/** Another program writes, or reads a snapshot, such as a backup. */
const busyRetryMs = 100;
/** The delay after other errors, such as a full disk. */
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
  const handle = new SQLite(file, { timeout: 0 });
  handle.pragma('synchronous = FULL');
  handle.pragma('foreign_keys = OFF');
  handle.pragma('secure_delete = ON');
  handle.pragma('temp_store = MEMORY');
  const tables = accountTables.map((name) => describeTable(handle, name));
  const rewriters = new Map(tables.map((table) => [table.name, createRewriter(handle, table)]));

  /** The recorded values of the changed rows, by table. */
  const changed = new Map<string, unknown[][]>();
  let mustRewriteAll = true;
  let timer: NodeJS.Timeout | null = null;
  let isScheduled = false;
  let pausedUntil = 0;
  let isFailing = false;
  let isStopped = false;

  database.function('record_account_row', { varargs: true }, (name: unknown, ...values) => {
    const rows = changed.get(String(name)) ?? [];
    rows.push(values);
    changed.set(String(name), rows);
    schedule();
  });
  // For a change that leaves its row in place: the file -wal is emptied.
  database.function('note_account_row', () => schedule());
  for (const table of tables) for (const sql of createTriggers(table)) database.exec(sql);

  const rewrite = handle.transaction(() => {
    for (const { name } of tables) {
      const rewriter = rewriters.get(name);
      if (mustRewriteAll && name !== 'preferences') rewriter?.rewriteAll();
      else rewriter?.rewriteAround(changed.get(name) ?? []);
    }
  });

  /** Runs right after the commit, before other events. */
  function schedule(): void {
    if (isStopped || isScheduled || timer) return;
    const delayMs = pausedUntil - performance.now();
    if (delayMs > 0) return scheduleRun(delayMs);
    isScheduled = true;
    setImmediate(run);
  }

  function scheduleRun(delayMs: number): void {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      timer = null;
      run();
    }, delayMs);
  }

  function run(): void {
    isScheduled = false;
    if (isStopped) return;
    const startedAt = performance.now();
    // SQLite would reject the write lock during the server's own transaction.
    if (database.inTransaction) return scheduleRun(1);
    if (erase()) pausedUntil = performance.now() + (performance.now() - startedAt) * pauseFactor;
    else scheduleRun(isFailing ? failedRetryMs : busyRetryMs);
  }

  /** @returns false if it must run again */
  function erase(): boolean {
    try {
      if (mustRewriteAll || changed.size > 0) rewrite.immediate();
      mustRewriteAll = false;
      changed.clear();
      const isEmpty = emptyWalSync(handle);
      // The page scrubber writes to the file itself: this handle must not write old bytes of a cached page back.
      handle.pragma('shrink_memory');
      isFailing = false;
      return isEmpty;
    } catch (error) {
      const isBusy = getErrorCode(error).startsWith('SQLITE_BUSY');
      if (!isBusy && !isFailing) log.warn('order.failed', { error });
      isFailing ||= !isBusy;
      return false;
    }
  }

  run();

  return {
    async stop() {
      if (timer) clearTimeout(timer);
      if (isScheduled || timer) erase();
      isStopped = true;
      handle.close();
    },
  };
}

function describeTable(database: SQLite.Database, name: string): Table {
  const listColumns = (index: string) =>
    (database.pragma(`index_info("${index}")`) as { name: string }[]).map((column) => column.name);
  const indexes = database.pragma(`index_list("${name}")`) as { name: string; origin: string }[];
  const primaryKey = indexes
    .filter(({ origin }) => origin === 'pk')
    .flatMap(({ name: index }) => listColumns(index));
  const trees = indexes.map(({ name: index }) => [
    ...new Set([...listColumns(index), ...primaryKey]),
  ]);
  return { name, primaryKey, trees, columns: [...new Set(trees.flat())] };
}

function createTriggers({ name, columns }: Table): string[] {
  const formatValues = (row: string) =>
    [`'${name}'`, ...columns.map((column) => `${row}."${column}"`)].join(', ');
  const events: [string, string[]][] = [
    ['insert', ['new']],
    ['update', ['old', 'new']],
    ['delete', ['old']],
  ];
  return events.map(([event, rows]) => {
    const calls =
      name === tableUpdatedInPlace && event !== 'insert'
        ? 'select note_account_row();'
        : rows.map((row) => `select record_account_row(${formatValues(row)});`).join(' ');
    return `create temp trigger "${name}_${event}" after ${event} on main."${name}" begin ${calls} end`;
  });
}

/** Removes rows and reinserts them in random order, which becomes the order of their cells. */
function createRewriter(database: SQLite.Database, { name, primaryKey, trees, columns }: Table) {
  const list = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ');
  const placeholders = (names: readonly string[]) => names.map((column) => `@${column}`).join(', ');
  const moved = `temp."moved_${name}"`;
  const key = list(primaryKey);
  database.exec(`create temp table "moved_${name}" as select * from main."${name}" limit 0`);
  database.exec(`create unique index temp."moved_${name}_key" on "moved_${name}" (${key})`);

  const nearCount = neighborCounts[name] ?? neighborCount;
  const copyNear = trees.flatMap((tree) => {
    const values = placeholders(tree);
    const order = list(tree);
    const descending = tree.map((column) => `"${column}" desc`).join(', ');
    const from = `insert or ignore into ${moved} select * from main."${name}" where (${order})`;
    return [
      `${from} >= (${values}) order by ${order} limit ${nearCount}`,
      `${from} < (${values}) order by ${descending} limit ${nearCount}`,
    ].map((sql) => database.prepare(sql));
  });
  const copyAll = database.prepare(`insert into ${moved} select * from main."${name}"`);
  const remove = database.prepare(
    `delete from main."${name}" where (${key}) in (select ${key} from ${moved})`,
  );
  const removeAll = database.prepare(`delete from main."${name}"`);
  const reinsert = database.prepare(
    `insert into main."${name}" select * from ${moved} order by random()`,
  );
  const clearMoved = database.prepare(`delete from ${moved}`);

  function replace(removal: SQLite.Statement): void {
    const removed = removal.run().changes;
    const reinserted = reinsert.run().changes;
    if (reinserted !== removed) throw new Error('Rows would be lost.');
    clearMoved.run();
  }

  return {
    rewriteAll() {
      copyAll.run();
      replace(removeAll);
    },
    /** @param rows the values of `columns` of each changed row */
    rewriteAround(rows: readonly unknown[][]) {
      if (rows.length === 0) return;
      for (const row of rows) {
        const named = Object.fromEntries(columns.map((column, n) => [column, row[n]]));
        for (const statement of copyNear) statement.run(named);
      }
      replace(remove);
    },
  };
}
