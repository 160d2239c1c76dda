// Polls for deleted accounts that are due to be removed from a class.
import type { KeyObject } from 'node:crypto';
import { removeDue, spreadOverdue } from './domain/remove-departed.ts';
import type { Log } from './log.ts';
import type { CommitQueue } from './storage/commit-queue.ts';
import type { Database } from './storage/database.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  log: Log;
}

const pollIntervalMs = 10_000;

/** @returns a function that stops polling; it resolves when no removal is running */
export function pollRemovals(parts: Parts): () => Promise<void> {
  let isStopped = false;
  let isFirst = true;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      if (isFirst) await spreadOverdue(parts);
      isFirst = false;
      await removeDue(parts, () => isStopped);
    } catch (error) {
      parts.log.warn('removal.failed', { error });
    }
  }

  function poll(): void {
    running ??= run().finally(() => {
      running = null;
    });
  }

  poll();
  const timer = setInterval(poll, pollIntervalMs);

  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
  };
}
