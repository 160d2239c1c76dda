// Removes deleted classes, links and messages of ended classes, deleted accounts, old evidence, announcements and reports from
// outside, and receipts of ended servers in the background when they are due.
import { toDate } from '#server/base/days.ts';
import { removeOldAnnouncements } from '#server/features/announcements/announcements.ts';
import { eraseDeletedClasses } from '#server/features/class-admin/deleted-classes.ts';
import { removeOldOutsideReports } from '#server/features/moderation/outside/outside-reports.ts';
import { eraseOldEvidence } from '#server/features/moderation/reports/kept-evidence.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { eraseEndedLinks } from '#server/chat/staff/suspensions.ts';
import { removeLinksOfEnded } from '#server/features/class-admin/ended-classes.ts';
import { removeMessagesOfEnded } from '#server/features/class-admin/ended-messages.ts';
import { removeDue, spreadOverdue } from './remove-departed.ts';
import type { Server } from '#server/feature.ts';
import { createStopSign } from '#server/store/background-lease.ts';
import { deleteOldReceipts, type Receipt } from '#server/store/commit-receipts-queries.ts';
import { startRepeating } from '#server/base/start-repeating.ts';

/** Classes expire by calendar day. If a class still has pictures, the next run deletes its row. */
const hourlyIntervalMs = 60 * 60_000;
const accountIntervalMs = 10_000;
const evidenceIntervalMs = 10 * 60_000;

/**
 * @param retentionDays how long the messages of ended classes are kept; null if they are kept forever
 * @returns a function that stops the removals, and resolves when no removal is running
 */
export function startScheduledRemovals(
  server: Pick<Server, 'db' | 'site' | 'commits' | 'lease' | 'log'>,
  retentionDays: number | null,
  findRemovalDay: () => Promise<number>,
): () => Promise<void> {
  const { db, commits, lease, log } = server;
  const { keys } = server.site;
  const stopping = new AbortController();
  const signal = createStopSign(lease, stopping.signal);
  let isFirstRun = true;

  async function eraseClasses(): Promise<void> {
    await eraseDeletedClasses({ db, commits }, await findRemovalDay(), signal);
  }

  /** Removes links, then messages, because the messages of a class are kept until its links are removed. */
  async function removeFromEndedClasses(): Promise<void> {
    const day = await findRemovalDay();
    const count = await removeLinksOfEnded(db, commits, day, signal);
    if (count > 0) log.info('links.removed', { count });
    if (retentionDays !== null) {
      await removeMessagesOfEnded(db, commits, day - retentionDays - 1, signal);
    }
  }

  async function removeAnnouncements(): Promise<void> {
    await removeOldAnnouncements(db, commits, await findRemovalTime());
  }

  async function removeOutsideReports(): Promise<void> {
    await removeOldOutsideReports(commits, await findRemovalDay());
  }

  async function removeAccounts(): Promise<void> {
    if (isFirstRun) await spreadOverdue(server);
    isFirstRun = false;
    await removeDue(server, signal);
  }

  async function eraseEvidence(): Promise<void> {
    const now = await findRemovalTime();
    await eraseOldEvidence(db, commits, deriveModerationKeys(keys.personas).evidence, now, signal);
    await eraseEndedLinks(db, commits, keys.suspensions, now);
  }

  let lastReceipts: Receipt[] = [];

  async function removeReceipts(): Promise<void> {
    lastReceipts = await deleteOldReceipts(db, lastReceipts);
  }

  /** Finds the current time, or the end of the removal day if that is earlier. */
  async function findRemovalTime(): Promise<number> {
    return Math.min(Date.now(), toDate((await findRemovalDay()) + 1).getTime());
  }

  function repeat(
    task: () => Promise<void>,
    intervalMs: number,
    event: 'erase.failed' | 'removal.failed' = 'removal.failed',
  ) {
    return startRepeating(async () => {
      if (!lease.isHeld()) return;
      await task().catch((error: unknown) => log.warn(event, { error }));
    }, intervalMs);
  }

  const tasks = [
    repeat(eraseClasses, hourlyIntervalMs, 'erase.failed'),
    repeat(removeFromEndedClasses, hourlyIntervalMs),
    repeat(removeAnnouncements, hourlyIntervalMs),
    repeat(removeOutsideReports, hourlyIntervalMs),
    repeat(removeReceipts, hourlyIntervalMs),
    repeat(eraseEvidence, evidenceIntervalMs, 'erase.failed'),
    repeat(removeAccounts, accountIntervalMs),
  ];

  return async () => {
    stopping.abort();
    await Promise.all(tasks.map((stop) => stop()));
  };
}
