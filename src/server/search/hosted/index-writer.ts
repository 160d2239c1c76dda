// Tells the hosted index what has changed: looks at what is due, and takes away what was told. It waits
// for nobody, and nobody waits for it.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import type { CommitQueue } from '../../storage/commit-queue.ts';
import type { Database } from '../../storage/database.ts';
import { listFindableByIds, toClass } from '../../storage/queries/classes.ts';
import { readMetadata, writeMetadata } from '../../storage/queries/facts.ts';
import {
  dequeueClasses,
  listQueuedClasses,
  type QueuedClass,
} from '../../storage/queries/search-index-queue.ts';
import type { HostedIndex, RecordChange } from './hosted-index.ts';
import { indexSettings } from './index-settings.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  index: HostedIndex;
  log: Log;
  applicationId: string;
}

/** What changes within this time is told as one record: a count that many joins move, above all. */
const pollIntervalMs = 1000;
const maxBatchSize = 200;
const maxWaitMs = 60_000;
/** How long a stop waits for an answer; what it does not wait for is told again. */
const stopWithinMs = 1000;
/** The fact of which settings the index was told. */
export const settingsMetadataName = 'hostedIndexSettings';

/** @returns how to stop */
export function startIndexWriter({ db, commits, index, log, applicationId }: Parts) {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** What the index refused for itself. It stays due, and is tried again after the next change or start. */
  const refused = new Map<string, number>();
  let failures = 0;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let more = false;
      try {
        await pushSettings();
        more = await pushQueued();
        if (failures > 0) log.info('index.written');
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn('index.failed', { error, ...statusOf(error) });
        failures += 1;
      }
      const waitMs = failures > 0 ? backOff(failures) : pollIntervalMs;
      if (!more || failures > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Once for each application, and again when a later version has other ones. */
  async function pushSettings(): Promise<void> {
    const settings = settingsOf(applicationId);
    if ((await readMetadata(db, settingsMetadataName)) === settings) return;
    await index.writeSettings();
    if (signal.aborted) return;
    await commits.write(async (write) => writeMetadata(write.db, settingsMetadataName, settings));
  }

  /** @returns whether there is more at once */
  async function pushQueued(): Promise<boolean> {
    const listed = await listQueuedClasses(db, maxBatchSize + refused.size);
    const due = listed.filter(({ classId, change }) => refused.get(classId) !== change);
    if (due.length === 0) return false;
    await tell(due);
    return listed.length === maxBatchSize + refused.size;
  }

  async function tell(due: readonly QueuedClass[]): Promise<void> {
    try {
      await index.write(await changesOf(db, due));
    } catch (error) {
      if (!isOfRecord(error)) throw error;
      // One record keeps none of the others from being told.
      if (due.length > 1) {
        for (const one of due) await tell([one]);
        return;
      }
      for (const { classId, change } of due) refused.set(classId, change);
      log.error('index.refused', { error, ...statusOf(error) });
      return;
    }
    if (signal.aborted) return;
    await commits.write(async (write) => dequeueClasses(write.db, due));
    for (const { classId } of due) refused.delete(classId);
  }

  const running = run();
  return async () => {
    stopping.abort();
    await Promise.race([running, sleep(stopWithinMs, undefined, { ref: false })]);
  };
}

/** Which settings, of which application. */
export function settingsOf(applicationId: string): string {
  const hash = createHash('sha256').update(JSON.stringify(indexSettings)).digest('base64url');
  return `${applicationId} ${hash}`;
}

/** The classes as they are now, whatever they were when they became due. */
async function changesOf(db: Database, due: readonly QueuedClass[]): Promise<RecordChange[]> {
  const rows = await listFindableByIds(
    db,
    due.map(({ classId }) => classId),
  );
  const there = new Map(rows.map((row) => [row.classId, toClass(row)]));
  return due.map(({ classId }) => {
    const found = there.get(classId);
    return found ? { put: found } : { remove: classId };
  });
}

function statusOf(error: unknown): { status?: number } {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' ? { status } : {};
}

/** Not the key, the speed or the application, but what was sent. */
function isOfRecord(error: unknown): boolean {
  const { status } = statusOf(error);
  return status === 400 || status === 413 || status === 422;
}

/** At random, and later the longer it goes on. */
function backOff(failures: number): number {
  const ceiling = Math.min(maxWaitMs, 1000 * 2 ** (failures - 1));
  return ceiling * (0.5 + Math.random() / 2);
}
