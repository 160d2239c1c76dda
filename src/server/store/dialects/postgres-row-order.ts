// PostgreSQL stores each row's transaction id and keeps rows in insertion order. Both could link accounts or classes to personas, whose
// messages have times. So this rewrites all rows of a changed table within seconds, in random order and random groups.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import { stopWaitMs, vacuumTable } from '#server/store/erasure/vacuum.ts';
import { isConnectionLost } from '#server/store/storage-errors.ts';
import { listTables, type Tables } from '#server/store/tables.ts';

/** Shuffles the rows of the tables soon after each change. */
export interface RowOrderEraser {
  /** Erases the remaining order, then stops. Call it before the database is closed. */
  stop(): Promise<void>;
}

const erasedTables = listTables('rewrittenColumn');
const minDelayMs = 2_000;
const maxDelayMs = 8_000;
/** Limits the work to a twentieth of the time. */
const pauseFactor = 20;
/** Rows per transaction, and their bytes: other writers wait milliseconds for the locks. */
const groupSize = 500;
const groupBytes = 1024 * 1024;

/**
 * Starts with the rows that an earlier server left.
 *
 * @param isActive of several nodes, one shuffles: each would shuffle again what another one has written
 */
export function createRowOrderEraser(
  db: Kysely<Tables>,
  isActive: () => boolean,
  log: Log,
): RowOrderEraser {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  let isUnreachable = false;
  const failingTables = new Set<string>();
  /** When each table may be shuffled again: a large one does not delay the others. */
  const pauseEnds = new Map<string, number>();
  /** The transactions that last wrote the rows of each table, if this eraser issued all of them. */
  const shuffleTransactions = new Map<string, string[]>();
  let currentRun = run();

  async function run(): Promise<void> {
    await shuffleChanged((table) => performance.now() >= (pauseEnds.get(table) ?? 0));
    if (isStopped) return;
    timer = setTimeout(
      () => {
        currentRun = run();
      },
      randomInt(minDelayMs, maxDelayMs),
    );
  }

  async function shuffleChanged(isDue: (table: string) => boolean): Promise<void> {
    for (const { table, fact: rewrittenColumn } of erasedTables) {
      if (!isActive()) return;
      if (!isDue(table)) continue;
      const startedAt = performance.now();
      try {
        if (await hasOtherRows(db, table, shuffleTransactions.get(table) ?? [])) {
          shuffleTransactions.set(table, await shuffle(db, table, rewrittenColumn));
        }
        failingTables.delete(table);
        isUnreachable = false;
      } catch (error) {
        if (!failingTables.has(table)) log.warn('order.failed', { error });
        failingTables.add(table);
        isUnreachable = isConnectionLost(error);
        if (isUnreachable) return;
      }
      const endedAt = performance.now();
      pauseEnds.set(table, endedAt + (endedAt - startedAt) * pauseFactor);
    }
  }

  return {
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      const runEnd = currentRun.then(() => true);
      const hasEnded = await Promise.race([runEnd, sleep(stopWaitMs, false, { ref: false })]);
      // A database that does not respond would delay the stop a second time. The next start does it.
      if (hasEnded && !isUnreachable) await shuffleChanged(() => true);
    },
  };
}

/** Whether another transaction wrote any row. */
async function hasOtherRows(
  db: Kysely<Tables>,
  table: string,
  transactions: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)} where not (xmin::text = any(${transactions})) limit 1
  `.execute(db);
  return rows.length > 0;
}

/** @returns the ids of the transactions that wrote the rows */
async function shuffle(
  db: Kysely<Tables>,
  table: string,
  rewrittenColumn: string,
): Promise<string[]> {
  let transactions: string[] = [];
  // Two rounds: a new row version stays on the page of the old one if there is room.
  for (let round = 0; round < 2; round++) {
    transactions = [];
    const { rows } = await sql<Place>`
      select ctid::text as place, pg_column_size(${sql.ref(rewrittenColumn)}) as bytes
      from ${sql.table(table)} order by random()`.execute(db);
    for (const group of toGroups(rows)) {
      transactions.push(await rewrite(db, table, rewrittenColumn, group));
    }
  }
  // Removes the old row versions that no reader needs.
  await vacuumTable(db, table);
  return transactions;
}

interface Place {
  place: string;
  bytes: number | null;
}

function toGroups(places: readonly Place[]): string[][] {
  const groups: string[][] = [];
  let lastBytes = Infinity;
  for (const { place, bytes } of places) {
    const last = groups.at(-1);
    if (!last || last.length === groupSize || lastBytes + (bytes ?? 0) > groupBytes) {
      groups.push([place]);
      lastBytes = bytes ?? 0;
    } else {
      last.push(place);
      lastBytes += bytes ?? 0;
    }
  }
  return groups;
}

/**
 * Updates row by row, because one statement would follow the table's order. It skips locked and moved rows:
 * it never waits for a lock, so it cannot deadlock.
 */
async function rewrite(
  db: Kysely<Tables>,
  table: string,
  rewrittenColumn: string,
  places: readonly string[],
): Promise<string> {
  const name = sql.table(table);
  const column = sql.ref(rewrittenColumn);
  const list = sql.lit(`{${places.map((place) => `"${place}"`).join(',')}}`);
  return db.transaction().execute(async (transaction) => {
    await sql`
      do $$
      declare row_place tid;
      begin
        foreach row_place in array ${list}::tid[] loop
          perform from ${name} where ctid = row_place for no key update skip locked;
          -- An empty text is added, or the long value would stay where it is.
          if found then update ${name} set ${column} = ${column} || '' where ctid = row_place; end if;
        end loop;
      end $$`.execute(transaction);
    const { rows } = await sql<{ id: string }>`
      select pg_current_xact_id()::xid::text as id`.execute(transaction);
    return String(rows[0]?.id);
  });
}
