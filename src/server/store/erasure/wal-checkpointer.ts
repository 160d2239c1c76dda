// SQLite overwrites deleted and edited content in the database file, but old content stays readable in the
// WAL. The server empties the WAL soon after, so that deletions reach the disk.
import type SQLite from 'better-sqlite3';
import { sql, type Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import type { Tables } from '#server/store/tables.ts';

const truncate = 'wal_checkpoint(truncate)';

/** @returns false if another program blocks the checkpoint, such as a backup that reads a snapshot */
export async function emptyWal(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma ${sql.raw(truncate)}`.execute(db);
  return rows[0]?.busy === 0;
}

/** Empties the WAL like `emptyWal`, for a handle outside Kysely. */
export function emptyWalSync(database: SQLite.Database): boolean {
  const [result] = database.pragma(truncate) as { busy: number }[];
  return result?.busy === 0;
}

export interface WalCheckpointer {
  /** Schedules a checkpoint after an erasure. */
  schedule(): void;
  stop(): void;
}

/** A checkpoint blocks the server for a few milliseconds, so one checkpoint covers several deletions. */
const delayMs = 2_000;

/** Schedules a first checkpoint, because the last server may have been killed before its checkpoint. */
export function createWalCheckpointer(db: Kysely<Tables>, log: Log): WalCheckpointer {
  let timer: NodeJS.Timeout | null = null;
  let isFailing = false;
  let isStopped = false;

  function schedule(): void {
    if (!isStopped) timer ??= setTimeout(() => void checkpoint(), delayMs);
  }

  async function checkpoint(): Promise<void> {
    let isEmpty = false;
    try {
      isEmpty = await emptyWal(db);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('erase.failed', { error });
      isFailing = true;
    }
    timer = null;
    if (!isEmpty) schedule();
  }

  schedule();

  return {
    schedule,
    stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
