// What was deleted or edited is overwritten in SQLite's database file, but stays readable in its -wal
// file until that is written over. Emptying it soon is what makes a deletion true on the disk.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Tables } from './database.ts';

export interface WalEraser {
  /** Something was overwritten: empties the -wal file, together with what else is overwritten until then. */
  soon(): void;
  stop(): void;
}

/** Emptying it stops everybody for a moment, like some commits: so it is not done for each deletion. */
const soonMs = 2_000;

/** Begins with what a server that was killed has left behind. */
export function createWalEraser(db: Kysely<Tables>, log: Log): WalEraser {
  let timer: NodeJS.Timeout | null = null;
  let failing = false;
  let stopped = false;

  function soon(): void {
    if (!stopped) timer ??= setTimeout(() => void erase(), soonMs);
  }

  async function erase(): Promise<void> {
    try {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
      timer = null;
      failing = false;
      // Somebody reads what was before, such as a backup.
      if (rows[0]?.busy !== 0) soon();
    } catch (error) {
      timer = null;
      if (!failing) log.warn('erase.failed', { error });
      failing = true;
      soon();
    }
  }

  soon();

  return {
    soon,
    stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
