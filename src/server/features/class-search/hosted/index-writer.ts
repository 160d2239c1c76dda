// Sends queued changes to the hosted index in the background and removes them from the queue. Commits never
// wait for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '#server/feature.ts';
import type { Database } from '#server/store/tables.ts';
import { listFindableByIds, toClass } from '#server/chat/classes/classes-queries.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import {
  dequeueClasses,
  listQueuedClasses,
  type QueuedClass,
} from '#server/chat/classes/search-index-queue-queries.ts';
import type { HostedIndex, RecordChange } from './hosted-index.ts';

/** Changes within this interval become one record. This mainly batches member counts. */
const pollIntervalMs = 1000;
const maxBatchSize = 200;
const maxWaitMs = 60_000;
/** How long a stop waits for a response. Unconfirmed changes stay queued and are sent again. */
const stopTimeoutMs = 1000;
/** The metadata key for the settings that the index has. */
export const settingsMetadataName = 'hostedIndexSettings';

/** @returns a function that stops the writer */
export function startIndexWriter(
  index: HostedIndex,
  { db, commits, lease, log }: Pick<Server, 'db' | 'commits' | 'lease' | 'log'>,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  /**
   * Changes that Algolia rejected because of the record. They stay queued until the class changes or the
   * server restarts.
   */
  const rejectedChanges = new Map<string, number>();
  let failures = 0;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let hasMore = false;
      try {
        if (lease.isHeld()) {
          await pushSettings();
          hasMore = await pushQueued();
        }
        if (failures > 0) log.info('index.written');
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn('index.failed', { error, ...toStatus(error) });
        failures += 1;
      }
      const waitMs = failures > 0 ? retryDelay(failures) : pollIntervalMs;
      if (!hasMore || failures > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Runs once per application, and again if a new server version changes the settings. */
  async function pushSettings(): Promise<void> {
    const { settingsVersion } = index;
    if ((await findMetadata(db, settingsMetadataName)) === settingsVersion) return;
    await index.writeSettings();
    if (signal.aborted) return;
    await commits.write(
      async (unitOfWork) => writeMetadata(unitOfWork.db, settingsMetadataName, settingsVersion),
      'independent',
    );
  }

  /** @returns whether the queue may hold more changes */
  async function pushQueued(): Promise<boolean> {
    const queuedRows = await listQueuedClasses(db, maxBatchSize + rejectedChanges.size);
    const queuedClasses = queuedRows.filter(
      ({ classId, change }) => rejectedChanges.get(classId) !== change,
    );
    if (queuedClasses.length === 0) return false;
    await push(queuedClasses);
    return queuedRows.length === maxBatchSize + rejectedChanges.size;
  }

  async function push(queuedClasses: readonly QueuedClass[]): Promise<void> {
    try {
      await index.write(await listChanges(db, queuedClasses));
    } catch (error) {
      if (!isRecordRejected(error)) throw error;
      // Retries each record alone, so that one rejected record does not block the others.
      if (queuedClasses.length > 1) {
        for (const queuedClass of queuedClasses) await push([queuedClass]);
        return;
      }
      for (const { classId, change } of queuedClasses) rejectedChanges.set(classId, change);
      log.error('index.refused', { error, ...toStatus(error) });
      return;
    }
    if (signal.aborted) return;
    await commits.write(
      async (unitOfWork) => dequeueClasses(unitOfWork.db, queuedClasses),
      'independent',
    );
    for (const { classId } of queuedClasses) rejectedChanges.delete(classId);
  }

  const loop = run();
  return async () => {
    stopping.abort();
    await Promise.race([loop, sleep(stopTimeoutMs, undefined, { ref: false })]);
  };
}

/** Reads the current classes. A class that no longer exists is removed from the index. */
async function listChanges(
  db: Database,
  queuedClasses: readonly QueuedClass[],
): Promise<RecordChange[]> {
  const rows = await listFindableByIds(
    db,
    queuedClasses.map(({ classId }) => classId),
  );
  const current = new Map(rows.map((row) => [row.classId, toClass(row)]));
  return queuedClasses.map(({ classId }) => {
    const currentClass = current.get(classId);
    return currentClass ? { put: currentClass } : { remove: classId };
  });
}

function toStatus(error: unknown): { status?: number } {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' ? { status } : {};
}

/** Whether Algolia rejected the record itself, not the key, the rate or the application. */
function isRecordRejected(error: unknown): boolean {
  const { status } = toStatus(error);
  return status === 400 || status === 413 || status === 422;
}

/** Exponential backoff with jitter, in milliseconds. */
function retryDelay(failures: number): number {
  const ceiling = Math.min(maxWaitMs, 1000 * 2 ** (failures - 1));
  return ceiling * (0.5 + Math.random() / 2);
}
