// SQLite reveals the order of inserts: the WAL holds the order of commits, and each page the order of its
// cells. In account tables that order could link accounts to personas, whose messages have times. So this eraser
// rewrites the rows around each change in random order.
import SQLite from 'better-sqlite3';
import type { Log } from '#server/base/log.ts';
import { getErrorCode } from '#server/base/startup-failure.ts';
import { accountTables, type RowOrderEraser } from '#server/store/tables.ts';
import type { WalFile } from '#server/store/erasure/wal-file.ts';

/**
 * Rows rewritten before and after a changed row in each b-tree. This is as many of the smallest rows as a
 * 4096-byte page holds, so the changed row's whole page is rewritten.
 */
const neighborCount = 72;
/** The table is too large to be rewritten at each start, so the daily run moves its rows (daily-run.ts). */
const largeTable = 'registers';
/**
 * Counts of tables with larger or smaller rows. A register continues on overflow pages, whose numbers tell which rows were written
 * together.
 */
const neighborCounts: Partial<Record<string, number>> = {
  accounts: 16,
  registers: 8,
  questionVotes: 100,
};
/** Rewriting costs more than the change (about 5 ms for a session), so it is limited to a third of the time. */
const pauseFactor = 2;
/**
 * Other work waits for each run, and in the first week of a term hundreds of students sign in and join each minute. After this
 * time, a run copies no further neighbors; to move the copied rows takes about as long again.
 */
const copyBudgetMs = 50;
/** If the copied rows are a larger share of their table, the whole table is rewritten, which covers all changed rows. */
const maxCopiedShare = 2 / 3;
/** More rows are not counted, because each change would pay for it, and a larger table is not rewritten as a whole in one run. */
const maxCountedRows = 20_000;
/** Another program writes, or reads a snapshot, such as a backup. */
const busyRetryMs = 100;
/** The delay after other errors, such as a full disk. */
const failedRetryMs = 2_000;

/** A row whose order is to be erased. */
interface ChangedRow {
  /** The values of the columns that order the b-trees. */
  values: unknown[];
  /** Whether its cells in the indexes did not change. */
  isOnlyInPrimaryKey: boolean;
}

/** @returns how many changed rows of each table are covered */
type Rewrite = SQLite.Transaction<(deadline: number) => Map<string, number>>;

interface Table {
  name: string;
  primaryKey: string[];
  /** The columns of each b-tree in its order: the primary key and each index. */
  trees: string[][];
  /** The columns that order the b-trees. The triggers record their values for each changed row. */
  columns: string[];
  otherColumns: string[];
}

export class SqliteRowOrderEraser implements RowOrderEraser {
  readonly #database: SQLite.Database;
  /** A second handle without triggers and foreign keys: reinserting a row has no side effects. */
  readonly #handle: SQLite.Database;
  readonly #walFile: WalFile;
  readonly #log: Log;
  readonly #rewrite: Rewrite;
  /** The changed rows that are not covered yet, by table, in the order of the changes. */
  readonly #changedRows = new Map<string, ChangedRow[]>();
  #mustRewriteAll = true;
  #timer: NodeJS.Timeout | null = null;
  #isScheduled = false;
  #pausedUntil = 0;
  #isFailing = false;
  #isStopped = false;

  /**
   * Rewrites all rows first, because a killed server or an earlier version may have left an order.
   *
   * @param database the server's only handle, after migration
   * @param file the file of the same database
   */
  constructor(database: SQLite.Database, file: string, walFile: WalFile, log: Log) {
    this.#database = database;
    this.#handle = openHandle(file);
    this.#walFile = walFile;
    this.#log = log;
    const tables = accountTables.map((name) => describeTable(this.#handle, name));
    this.#recordChanges(tables);
    this.#rewrite = this.#prepareRewrite(tables);
    this.#run();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#isScheduled || this.#timer) this.#erase(Infinity);
    this.#isStopped = true;
    this.#handle.close();
  }

  #recordChanges(tables: readonly Table[]): void {
    this.#database.function(
      'record_account_row',
      { varargs: true },
      (table: unknown, isOnlyInPrimaryKey: unknown, ...values: unknown[]) => {
        const rows = this.#changedRows.get(String(table)) ?? [];
        rows.push({ values, isOnlyInPrimaryKey: isOnlyInPrimaryKey === 1 });
        this.#changedRows.set(String(table), rows);
        this.#schedule();
      },
    );
    // For an update that leaves its row in place: only the -wal file is emptied.
    this.#database.function('note_account_row', () => this.#schedule());
    for (const sql of tables.flatMap(createTriggers)) this.#database.exec(sql);
  }

  #prepareRewrite(tables: readonly Table[]): Rewrite {
    const rewriters = tables.map((table) => ({
      name: table.name,
      rewriter: createRewriter(this.#handle, table),
    }));
    return this.#handle.transaction((deadline: number) => {
      const coveredCounts = new Map<string, number>();
      for (const { name, rewriter } of rewriters) {
        const rows = this.#changedRows.get(name) ?? [];
        if (this.#mustRewriteAll && name !== largeTable) {
          rewriter.rewriteAll();
          coveredCounts.set(name, rows.length);
        } else if (rows.length > 0) {
          coveredCounts.set(name, rewriter.rewriteAround(rows, deadline));
        }
      }
      return coveredCounts;
    });
  }

  /** Schedules a rewrite right after the commit, before other events. */
  #schedule(): void {
    if (this.#isStopped || this.#isScheduled || this.#timer) return;
    const delayMs = this.#pausedUntil - performance.now();
    if (delayMs > 0) return this.#scheduleRun(delayMs);
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }

  #scheduleRun(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#run();
    }, delayMs);
  }

  #run(): void {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    const startedAt = performance.now();
    // SQLite would reject the write lock during the server's own transaction.
    if (this.#database.inTransaction) return this.#scheduleRun(1);
    if (this.#erase(startedAt + copyBudgetMs)) {
      const endedAt = performance.now();
      this.#pausedUntil = endedAt + (endedAt - startedAt) * pauseFactor;
      if (this.#changedRows.size > 0) this.#schedule();
    } else {
      this.#scheduleRun(this.#isFailing ? failedRetryMs : busyRetryMs);
    }
  }

  /** @returns false if it must run again */
  #erase(deadline: number): boolean {
    try {
      if (this.#mustRewriteAll || this.#changedRows.size > 0) {
        this.#forget(this.#rewrite.immediate(deadline));
      }
      this.#mustRewriteAll = false;
      const isEmpty = this.#walFile.empty(this.#handle);
      // The page scrubber writes to the file itself: this handle must not write old bytes of a cached page back.
      this.#handle.pragma('shrink_memory');
      this.#isFailing = false;
      return isEmpty;
    } catch (error) {
      const isBusy = getErrorCode(error).startsWith('SQLITE_BUSY');
      if (!isBusy && !this.#isFailing) this.#log.warn('order.failed', { error });
      this.#isFailing ||= !isBusy;
      return false;
    }
  }

  #forget(coveredCounts: ReadonlyMap<string, number>): void {
    for (const [name, count] of coveredCounts) {
      const rows = this.#changedRows.get(name)?.slice(count) ?? [];
      if (rows.length > 0) this.#changedRows.set(name, rows);
      else this.#changedRows.delete(name);
    }
  }
}

function openHandle(file: string): SQLite.Database {
  const handle = new SQLite(file, { timeout: 0 });
  handle.pragma('synchronous = FULL');
  handle.pragma('foreign_keys = OFF');
  handle.pragma('secure_delete = ON');
  handle.pragma('temp_store = MEMORY');
  handle.pragma('wal_autocheckpoint = 0');
  return handle;
}

function describeTable(database: SQLite.Database, name: string): Table {
  const listColumns = (index: string) =>
    (database.pragma(`index_info("${index}")`) as { name: string }[]).map((column) => column.name);
  const indexes = database.pragma(`index_list("${name}")`) as {
    name: string;
    origin: string;
    partial: 0 | 1;
  }[];
  const isPlain = indexes.every(
    (index) => !index.partial && listColumns(index.name).every(Boolean),
  );
  if (!isPlain) throw new Error(`The triggers of ${name} need indexes of whole columns.`);
  const primaryKey = indexes
    .filter(({ origin }) => origin === 'pk')
    .flatMap(({ name: index }) => listColumns(index));
  const trees = indexes.map(({ name: index }) => [
    ...new Set([...listColumns(index), ...primaryKey]),
  ]);
  const columns = [...new Set(trees.flat())];
  const allColumns = database.pragma(`table_info("${name}")`) as { name: string }[];
  const otherColumns = allColumns
    .map((column) => column.name)
    .filter((column) => !columns.includes(column));
  return { name, primaryKey, trees, columns, otherColumns };
}

function createTriggers({ name, columns, otherColumns }: Table): string[] {
  const recordRow = (row: string, isOnlyInPrimaryKey = false) => {
    const values = columns.map((column) => `${row}."${column}"`).join();
    return `select record_account_row('${name}', ${isOnlyInPrimaryKey ? 1 : 0}, ${values})`;
  };
  const createTrigger = (trigger: string, event: string, statements: string[]) =>
    `create temp trigger "${name}_${trigger}" after ${event} begin ${statements.join('; ')}; end`;

  // The content of a row is in the b-tree of the primary key. An index has only the columns that order it.
  const keepsKeys = columns.map((column) => `old."${column}" is new."${column}"`).join(' and ');
  const keepsSizes = otherColumns
    .map(
      (column) =>
        `(old."${column}" is new."${column}" or (typeof(old."${column}") in ('text', 'blob') and typeof(old."${column}") = typeof(new."${column}")
          and octet_length(old."${column}") = octet_length(new."${column}")))`,
    )
    .join(' and ');
  // SQLite overwrites a row in its place if no value of an index changes, and none its size. Most updates are of this kind: a read
  // mark at each visit, and what is encrypted again each day. A lecture would otherwise rewrite thousands of rows each minute.
  const isInPlace = name === largeTable ? 'false' : keepsSizes || 'true';
  const update = `update on main."${name}" when`;
  return [
    createTrigger('insert', `insert on main."${name}"`, [recordRow('new')]),
    createTrigger('delete', `delete on main."${name}"`, [recordRow('old')]),
    createTrigger('move', `${update} not (${keepsKeys})`, [recordRow('old'), recordRow('new')]),
    createTrigger('resize', `${update} ${keepsKeys} and not (${isInPlace})`, [
      recordRow('new', true),
    ]),
    createTrigger('overwrite', `${update} ${keepsKeys} and (${isInPlace})`, [
      'select note_account_row()',
    ]),
  ];
}

/** Creates what removes rows of a table and reinserts them in random order, which becomes the order of their cells. */
function createRewriter(database: SQLite.Database, { name, primaryKey, trees, columns }: Table) {
  const formatList = (names: readonly string[]) => names.map((column) => `"${column}"`).join(', ');
  const formatPlaceholders = (names: readonly string[]) =>
    names.map((column) => `@${column}`).join(', ');
  const movedTable = `temp."moved_${name}"`;
  const key = formatList(primaryKey);
  database.exec(`create temp table "moved_${name}" as select * from main."${name}" limit 0`);
  database.exec(`create unique index temp."moved_${name}_key" on "moved_${name}" (${key})`);

  const limit = neighborCounts[name] ?? neighborCount;
  const prepareCopies = (tree: string[]) => {
    const values = formatPlaceholders(tree);
    const order = formatList(tree);
    const descending = tree.map((column) => `"${column}" desc`).join(', ');
    const from = `insert or ignore into ${movedTable} select * from main."${name}" where (${order})`;
    return [
      `${from} >= (${values}) order by ${order} limit ${limit}`,
      `${from} < (${values}) order by ${descending} limit ${limit}`,
    ].map((sql) => database.prepare(sql));
  };
  const copiesOfPrimaryKey = prepareCopies(primaryKey);
  const copiesOfAllTrees = trees.flatMap(prepareCopies);
  const copyAll = database.prepare(`insert into ${movedTable} select * from main."${name}"`);
  const remove = database.prepare(
    `delete from main."${name}" where (${key}) in (select ${key} from ${movedTable})`,
  );
  const removeAll = database.prepare(`delete from main."${name}"`);
  const reinsert = database.prepare(
    `insert into main."${name}" select * from ${movedTable} order by random()`,
  );
  const countRows = database
    .prepare(`select count(*) from (select 1 from main."${name}" limit ?)`)
    .pluck();
  const clearMoved = database.prepare(`delete from ${movedTable}`);

  function replace(removal: SQLite.Statement): void {
    const removedCount = removal.run().changes;
    const reinsertedCount = reinsert.run().changes;
    if (reinsertedCount !== removedCount) throw new Error('Rows would be lost.');
    clearMoved.run();
  }

  return {
    rewriteAll() {
      copyAll.run();
      replace(removeAll);
    },
    /**
     * @param deadline when it copies the neighbors of no further row, as `performance.now()`
     * @returns how many of the rows are covered, at least one
     */
    rewriteAround(rows: readonly ChangedRow[], deadline: number): number {
      // The last run before a stop may take its time, and covers all changed rows.
      const rowLimit = deadline === Infinity ? -1 : maxCountedRows;
      const rowCount = countRows.get(rowLimit) as number;
      const maxCopiedCount = rowCount === rowLimit ? Infinity : rowCount * maxCopiedShare;
      let copiedCount = 0;
      let coveredCount = 0;
      for (const { values, isOnlyInPrimaryKey } of rows) {
        const copies = isOnlyInPrimaryKey ? copiesOfPrimaryKey : copiesOfAllTrees;
        const row = Object.fromEntries(columns.map((column, n) => [column, values[n]]));
        for (const statement of copies) copiedCount += statement.run(row).changes;
        coveredCount += 1;
        if (copiedCount > maxCopiedCount) {
          clearMoved.run();
          this.rewriteAll();
          return rows.length;
        }
        if (performance.now() > deadline) break;
      }
      replace(remove);
      return coveredCount;
    },
  };
}
