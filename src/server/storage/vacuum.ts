// PostgreSQL keeps old row versions until it vacuums, which can take months in a quiet class. So the server
// vacuums soon after an erasure.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Tables } from './database.ts';

export interface Vacuum {
  /** Schedules a vacuum after an erasure. */
  soon(): void;
  /** Starts no more; resolves when none is running. */
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
