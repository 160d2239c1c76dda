// PostgreSQL keeps old row versions until it vacuums, which can take months in a quiet class. So the server
// vacuums soon after an erasure.
import { sql, type Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import { listTables, type Tables } from '#server/store/tables.ts';

export interface Vacuum {
  /** Schedules a vacuum after an erasure. */
  schedule(): void;
  /** Starts no more; resolves when none is running. */
  stop(): Promise<void>;
}

const minDelayMs = 10_000;
const minIntervalMs = 60_000;

export function createVacuum(db: Kysely<Tables>, log: Log): Vacuum {
  let lastRunAt = -Infinity;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;

  function schedule(): void {
    if (isStopped) return;
    const remainingMs = lastRunAt + minIntervalMs - performance.now();
    timer ??= setTimeout(
      () => {
        timer = null;
        running = vacuumAll();
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
        // Each statement has the timeout of the session.
        await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
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
      await running;
    },
  };
}
