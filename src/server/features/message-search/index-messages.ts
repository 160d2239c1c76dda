// Indexes the complete blocks of each class's log in the background: at startup, every hour, when a commit completes a
// block, and some time after a change of a message has deleted the index of its block. A message's commit never waits
// for its index.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogItem } from '#contract/socket.ts';
import { indexVersion } from '#server/chat/messages/message-matches.ts';
import { blockLength, toBlock, indexBlock } from '#server/chat/messages/word-index.ts';
import type { Log } from '#server/base/log.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { listAllClasses } from '#server/chat/messages/authored-content-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { deleteWords, listIndexedBlocks } from '#server/chat/messages/message-words-queries.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';

export interface MessageIndexer {
  /** Begins with the blocks that an earlier version or a killed server left. */
  start(commits: CommitQueue): void;
  /** Call it after each commit, with the new items of the class. */
  onLogAppended(classId: string, items: readonly LogItem[]): void;
  /** Resolves when nothing is being indexed. */
  stop(): Promise<void>;
}

/** Finds blocks that were not reported, for example because the outcome of their commit was unknown. */
const scanIntervalMs = 60 * 60_000;
/** Limits the work to a tenth of the time, so that a large database does not slow down the chat. */
const pauseFactor = 9;
const maxPauseMs = 30_000;
/** Changes often come together. Each deletes the index of its block, so the new index waits for the others. */
const changeDelayMs = 5_000;
const metadataName = 'messageIndex';

/** @param lease of several nodes, one scans; a block that a commit completes is indexed by the node of the commit */
export function createMessageIndexer(
  db: Database,
  lease: Pick<BackgroundLease, 'isHeld'>,
  log: Log,
): MessageIndexer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const queue = new Set<string>();
  const changedClassIds = new Set<string>();
  let commits: CommitQueue | null = null;
  let runningWork: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let changeTimer: NodeJS.Timeout | null = null;

  /** Deletes an index of other terms. Searches read the messages until they are indexed again. */
  async function deleteOutdated(writer: CommitQueue): Promise<void> {
    if ((await findMetadata(db, metadataName)) === indexVersion) return;
    for await (const { classId, seq } of listAllClasses(db)) {
      if (signal.aborted) return;
      if (!hasCompleteBlock(seq)) continue;
      await writer.write((unitOfWork) => deleteWords(unitOfWork.db, classId), { classId });
    }
    await writer.write(
      (unitOfWork) => writeMetadata(unitOfWork.db, metadataName, indexVersion),
      'nothing',
    );
  }

  async function scan(): Promise<void> {
    if (!lease.isHeld()) return;
    for await (const { classId, seq, status } of listAllClasses(db)) {
      if (signal.aborted) return;
      if (hasCompleteBlock(seq) && status !== 'deleted') queue.add(classId);
    }
    await indexQueued();
  }

  /** Classes take turns, one block each: no one can keep the index of other classes waiting by many changes. */
  async function indexQueued(): Promise<void> {
    for (const classId of queue) {
      queue.delete(classId);
      const isComplete = await indexNewest(classId);
      if (signal.aborted) return;
      if (!isComplete) queue.add(classId);
    }
  }

  /** @returns whether no block is left to index */
  async function indexNewest(classId: string): Promise<boolean> {
    const row = await findClass(db, classId);
    if (!row) return true;
    const complete = toBlock(row.seq + 1);
    const indexed = new Set(await listIndexedBlocks(db, classId));
    // Newest first: members search recent messages most.
    let block = complete - 1;
    while (indexed.has(block)) block -= 1;
    if (block < 0 || !commits || signal.aborted) return true;
    const startedAt = performance.now();
    const isDone = await indexBlock(db, commits, classId, block);
    const pauseMs = (performance.now() - startedAt) * pauseFactor;
    await sleep(Math.min(pauseMs, maxPauseMs), undefined, { signal }).catch(() => {});
    // If a message of the block has changed meanwhile, that change has queued the class, too.
    return !isDone;
  }

  function queueChanged(changedClassId: string): void {
    changedClassIds.add(changedClassId);
    changeTimer ??= setTimeout(() => {
      changeTimer = null;
      for (const classId of changedClassIds) queue.add(classId);
      changedClassIds.clear();
      run(indexQueued);
    }, changeDelayMs).unref();
  }

  function run(work: () => Promise<void>): void {
    if (signal.aborted) return;
    const previousWork = runningWork ?? Promise.resolve();
    const current = previousWork
      .then(work)
      .catch((error: unknown) => log.warn('index.failed', { error }))
      .finally(() => {
        if (runningWork === current) runningWork = null;
      });
    runningWork = current;
  }

  return {
    start(queueOfCommits) {
      commits = queueOfCommits;
      run(() => deleteOutdated(queueOfCommits));
      run(scan);
      timer = setInterval(() => run(scan), scanIntervalMs);
    },
    onLogAppended(classId, items) {
      const last = items.at(-1)?.seq ?? 0;
      if (hasCompleteBlock(last) && items.some(isTextChange)) queueChanged(classId);
      if (!items.some(({ seq }) => (seq + 1) % blockLength === 0)) return;
      queue.add(classId);
      run(indexQueued);
    },
    async stop() {
      stopping.abort();
      if (timer) clearInterval(timer);
      if (changeTimer) clearTimeout(changeTimer);
      await runningWork;
    },
  };
}

const hasCompleteBlock = (head: number) => head + 1 >= blockLength;

const isTextChange = ({ kind }: LogItem) =>
  kind === 'edited' || kind === 'deleted' || kind === 'moderated';
