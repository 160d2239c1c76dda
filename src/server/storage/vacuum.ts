// PostgreSQL keeps the rows as they were before each change until it vacuums, which in a quiet class may be
// months. So it is asked to, soon after something was erased.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Tables } from './database.ts';

export interface Vacuum {
  /** Something was erased: the tables are vacuumed soon. */
  soon(): void;
  /** Begins no more; resolves when none is running. */
  stop(): Promise<void>;
}

const firstDelayMs = 10_000;
const minIntervalMs = 60_000;

export function createVacuum(db: Kysely<Tables>, log: Log): Vacuum {
  let lastAt = -Infinity;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;

  function soon(): void {
    if (isStopped) return;
    const restMs = lastAt + minIntervalMs - performance.now();
    timer ??= setTimeout(
      () => {
        timer = null;
        running = vacuumAll();
      },
      Math.max(firstDelayMs, restMs),
    );
  }

  async function vacuumAll(): Promise<void> {
    lastAt = performance.now();
    try {
      await sql`vacuum messages, personas, reactions, images, classes, enrolments`.execute(db);
      await sql`vacuum accounts, sessions, credentials, verifications, facts`.execute(db);
    } catch (error) {
      log.warn('erase.failed', { error });
      soon();
    }
  }

  soon();

  return {
    soon,
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}
