// Checks whether the server can read and write, for monitors and load balancers.
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitQueue } from './commit-queue.ts';
import type { Database } from './database.ts';

interface Parts {
  db: Database;
  queues: readonly CommitQueue[];
  /** The folder of the SQLite file; null for PostgreSQL, whose disk is elsewhere. */
  folder: string | null;
}

const timeoutMs = 2_000;
/** A commit within this time proves that writes work, so frequent checks cost nothing. */
const recentCommitMs = 5_000;
/** Enough for a sign-up and a page of messages. */
const minFreeBytes = 1024 * 1024;

/** @returns a check that takes at most two seconds */
export function createReadiness({ db, queues, folder }: Parts): () => Promise<boolean> {
  let checking: Promise<boolean> | null = null;

  async function check(): Promise<boolean> {
    if (folder !== null) {
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < minFreeBytes) return false;
    }
    await db.selectFrom('serverMetadata').select('name').limit(1).execute();
    await Promise.all(queues.map(tryCommit));
    return true;
  }

  return () => {
    checking ??= check()
      .catch(() => false)
      .finally(() => {
        checking = null;
      });
    return Promise.race([checking, sleep(timeoutMs, false, { ref: false })]);
  };
}

/** Writes and deletes a row, unless a commit has just succeeded. */
async function tryCommit(queue: CommitQueue): Promise<void> {
  const { isFailing, lastCommitAt } = queue.health();
  if (!isFailing && performance.now() - lastCommitAt < recentCommitMs) return;
  await queue.write(async ({ db }) => {
    await db.deleteFrom('serverMetadata').where('name', '=', 'readiness').execute();
    await db.insertInto('serverMetadata').values({ name: 'readiness', value: '' }).execute();
    await db.deleteFrom('serverMetadata').where('name', '=', 'readiness').execute();
  }, 'readiness'); // Not a class, but as narrow as one.
}
