// PostgreSQL keeps old row versions until it vacuums a table, which can take months if little changes. So the server
// vacuums soon after an erasure.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import { vacuumTimeoutMs } from '#server/store/dialects/postgres-client.ts';
import { statementTimeoutMs } from '#server/store/dialects/postgres-settings.ts';
import { listTables, type Tables } from '#server/store/tables.ts';

/** What removes deleted data from the disk. */
export interface Erasure {
  /** Call it after each deletion. */
  schedule(): void;
  /** Starts no more work, and waits some seconds for work that is running. */
  stop(): Promise<void>;
}

/** Removes old row versions that no reader needs. With `analyze`, it also renews the statistics of the planner. */
export async function vacuumTable(
  db: Kysely<Tables>,
  table: string,
  { analyze = false } = {},
): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = ${sql.lit(vacuumTimeoutMs)}`.execute(connection);
    try {
      await sql`vacuum (analyze ${sql.lit(analyze)}) ${sql.table(table)}`.execute(connection);
    } finally {
      // The connection goes back to the pool, where other statements use it.
      await sql`set statement_timeout = ${sql.lit(statementTimeoutMs)}`.execute(connection);
    }
  });
}

const minDelayMs = 10_000;
const minIntervalMs = 60_000;
/** The time that a stop waits. Afterwards the connection is closed, and PostgreSQL still finishes the vacuum. */
export const stopWaitMs = 4_000;

export function createVacuum(db: Kysely<Tables>, log: Log): Erasure {
  let lastRunAt = -Infinity;
  let timer: NodeJS.Timeout | null = null;
  let currentRun: Promise<void> | null = null;
  let isStopped = false;

  function schedule(): void {
    if (isStopped) return;
    const remainingMs = lastRunAt + minIntervalMs - performance.now();
    timer ??= setTimeout(
      () => {
        timer = null;
        currentRun = vacuumAll();
      },
      Math.max(minDelayMs, remainingMs),
    );
  }

  async function vacuumAll(): Promise<void> {
    lastRunAt = performance.now();
    try {
      const tables = listTables('isVacuumed').map(({ table }) => table);
      // The planner's statistics hold values of rows, such as texts, salts and addresses. Their table is the last, because each
      // analysis replaces the statistics of its table.
      for (const table of [...tables, 'pg_statistic']) {
        await vacuumTable(db, table, { analyze: true });
      }
    } catch (error) {
      log.warn('erase.failed', { error });
      schedule();
    }
  }

  schedule();

  return {
    schedule,
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await Promise.race([currentRun, sleep(stopWaitMs, null, { ref: false })]);
    },
  };
}
