// PostgreSQL keeps old row versions until it vacuums, which can take months in a quiet class. So the server
// vacuums soon after an erasure.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import { vacuumTimeoutMs } from '#server/store/dialects/postgres-client.ts';
import { statementTimeoutMs } from '#server/store/dialects/postgres-settings.ts';
import { listTables, type Tables } from '#server/store/tables.ts';

export interface Vacuum {
  /** Schedules a vacuum after an erasure. */
  schedule(): void;
  /** Starts no more, and waits some seconds for one that runs. */
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
      // The connection goes back to the pool.
      await sql`set statement_timeout = ${sql.lit(statementTimeoutMs)}`.execute(connection);
    }
  });
}

const minDelayMs = 10_000;
const minIntervalMs = 60_000;
/** Afterwards the connection is closed, and PostgreSQL finishes the vacuum on its own. */
export const stopWaitMs = 4_000;

export function createVacuum(db: Kysely<Tables>, log: Log): Vacuum {
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
      // The statistics of the planner have values of rows, such as texts, salts and addresses. They come last, when all are replaced.
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
