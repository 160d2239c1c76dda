// SQLite overwrites deleted and edited content in the database file, but old content stays readable in the
// WAL. The server empties the WAL soon after, so that deletions reach the disk.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Tables } from './database.ts';

export interface WalEraser {
  /** Schedules a checkpoint that empties the WAL. */
  soon(): void;
  stop(): void;
}

/** A checkpoint blocks the server for a few milliseconds, so one checkpoint covers several deletions. */
const soonMs = 2_000;

/** Starts with a checkpoint for a server that was killed. */
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
      // Another program reads a snapshot, such as a backup.
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
