// Removes deleted classes, links and messages of ended classes, unused and deleted accounts, old evidence and old announcements in the
// background, when their time has come.
import type { KeyObject } from 'node:crypto';
import { removeOldAnnouncements } from './domain/announcements.ts';
import { eraseDeletedClasses } from './domain/deleted-classes.ts';
import { eraseOldEvidence } from './domain/moderation/evidence.ts';
import { moderationKeysOf } from './domain/moderation/keys.ts';
import { eraseEndedHolders } from './domain/moderation/suspensions.ts';
import type { SuspensionKeys } from './domain/moderation/keys.ts';
import { removeLinksOfEnded } from './domain/ended-classes.ts';
import { removeMessagesOfEnded } from './domain/ended-messages.ts';
import { removeDue, spreadOverdue } from './domain/remove-departed.ts';
import type { Log } from './log.ts';
import type { BackgroundLease } from './nodes/background-lease.ts';
import { startRepeating } from './start-repeating.ts';
import type { CommitQueue } from './storage/commit-queue.ts';
import type { Database } from './storage/database.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  accountCommits: CommitQueue;
  personaKey: KeyObject;
  suspensionKeys: SuspensionKeys;
  lease: Pick<BackgroundLease, 'isHeld'>;
  /** For the messages of ended classes; null for ever. */
  retentionDays: number | null;
  /** Deletes the accounts that were never verified. */
  deleteUnverified(stopping: AbortSignal): Promise<void>;
  /** Asks and deletes the accounts that were not used for long. */
  removeUnused(stopping: AbortSignal): Promise<void>;
  log: Log;
}

/** Classes and idle accounts expire by calendar day. If a class still has pictures, the next run deletes its row. */
const classIntervalMs = 60 * 60_000;
const accountIntervalMs = 10_000;
const evidenceIntervalMs = 10 * 60_000;

/** @returns a function that stops the removals; it resolves when none is running */
export function startScheduledRemovals(parts: Parts): () => Promise<void> {
  const { db, commits, lease, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFirstRun = true;

  async function eraseClasses(): Promise<void> {
    try {
      await eraseDeletedClasses(db, commits, signal);
    } catch (error) {
      log.warn('erase.failed', { error });
    }
  }

  async function removeLinks(): Promise<void> {
    try {
      const count = await removeLinksOfEnded(db, commits, signal);
      if (count > 0) log.info('links.removed', { count });
    } catch (error) {
      log.warn('removal.failed', { error });
    }
  }

  async function removeEndedMessages(): Promise<void> {
    if (parts.retentionDays === null) return;
    try {
      await removeMessagesOfEnded(db, commits, parts.retentionDays, signal);
    } catch (error) {
      log.warn('removal.failed', { error });
    }
  }

  /** In this order: messages are kept until the links are removed. */
  async function removeOfEnded(): Promise<void> {
    await removeLinks();
    await removeEndedMessages();
  }

  async function removeAnnouncements(): Promise<void> {
    try {
      await removeOldAnnouncements(db, commits);
    } catch (error) {
      log.warn('removal.failed', { error });
    }
  }

  async function removeIdleAccounts(): Promise<void> {
    for (const remove of [parts.deleteUnverified, parts.removeUnused]) {
      try {
        await remove(signal);
      } catch (error) {
        log.warn('removal.failed', { error });
      }
    }
  }

  async function removeAccounts(): Promise<void> {
    try {
      if (isFirstRun) await spreadOverdue(parts);
      isFirstRun = false;
      await removeDue(parts, signal);
    } catch (error) {
      log.warn('removal.failed', { error });
    }
  }

  async function eraseEvidence(): Promise<void> {
    try {
      await eraseOldEvidence(db, commits, moderationKeysOf(parts.personaKey).evidence, signal);
      await eraseEndedHolders(db, commits, parts.suspensionKeys);
    } catch (error) {
      log.warn('erase.failed', { error });
    }
  }

  const ifHeld = (task: () => Promise<void>) => async () => {
    if (lease.isHeld()) await task();
  };
  const tasks = [
    startRepeating(ifHeld(eraseClasses), classIntervalMs),
    startRepeating(ifHeld(removeOfEnded), classIntervalMs),
    startRepeating(ifHeld(removeAnnouncements), classIntervalMs),
    startRepeating(ifHeld(removeIdleAccounts), classIntervalMs),
    startRepeating(ifHeld(eraseEvidence), evidenceIntervalMs),
    startRepeating(ifHeld(removeAccounts), accountIntervalMs),
  ];

  return async () => {
    stopping.abort();
    await Promise.all(tasks.map((stop) => stop()));
  };
}
