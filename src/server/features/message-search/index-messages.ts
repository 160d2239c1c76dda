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

/** Finds blocks that were not reported, for example because the outcome of their commit was unknown. */
const scanIntervalMs = 60 * 60_000;
/** Limits the work to a tenth of the time, so that a large database does not slow down the chat. */
const pauseFactor = 9;
const maxPauseMs = 30_000;
/** Changes often come together. Each deletes the index of its block, so the new index waits for the others. */
const changeDelayMs = 5_000;
const metadataName = 'messageIndex';

/** @param lease of several nodes, one scans; a block that a commit completes is indexed by the node of the commit */
export class MessageIndexer {
  readonly #db: Database;
  readonly #lease: Pick<BackgroundLease, 'isHeld'>;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #queue = new Set<string>();
  readonly #changedClassIds = new Set<string>();
  #commits: CommitQueue | null = null;
  #runningWork: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #changeTimer: NodeJS.Timeout | null = null;

  constructor(db: Database, lease: Pick<BackgroundLease, 'isHeld'>, log: Log) {
    this.#db = db;
    this.#lease = lease;
    this.#log = log;
  }

  /** Begins with the blocks that an earlier version or a killed server left. */
  start(queueOfCommits: CommitQueue): void {
    this.#commits = queueOfCommits;
    this.#run(() => this.#deleteOutdated(queueOfCommits));
    this.#run(() => this.#scan());
    this.#timer = setInterval(() => this.#run(() => this.#scan()), scanIntervalMs);
  }

  /** Call it after each commit, with the new items of the class. */
  onLogAppended(classId: string, items: readonly LogItem[]): void {
    const last = items.at(-1)?.seq ?? 0;
    if (hasCompleteBlock(last) && items.some(isTextChange)) this.#queueChanged(classId);
    if (!items.some(({ seq }) => (seq + 1) % blockLength === 0)) return;
    this.#queue.add(classId);
    this.#run(() => this.#indexQueued());
  }

  /** Resolves when nothing is being indexed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearInterval(this.#timer);
    if (this.#changeTimer) clearTimeout(this.#changeTimer);
    await this.#runningWork;
  }

  /** Deletes an index of other terms. Searches read the messages until they are indexed again. */
  async #deleteOutdated(commits: CommitQueue): Promise<void> {
    if ((await findMetadata(this.#db, metadataName)) === indexVersion) return;
    for await (const { classId, seq } of listAllClasses(this.#db)) {
      if (this.#stopping.signal.aborted) return;
      if (!hasCompleteBlock(seq)) continue;
      await commits.write((unitOfWork) => deleteWords(unitOfWork.db, classId), { classId });
    }
    await commits.write(
      (unitOfWork) => writeMetadata(unitOfWork.db, metadataName, indexVersion),
      'independent',
    );
  }

  async #scan(): Promise<void> {
    if (!this.#lease.isHeld()) return;
    for await (const { classId, seq, status } of listAllClasses(this.#db)) {
      if (this.#stopping.signal.aborted) return;
      if (hasCompleteBlock(seq) && status !== 'deleted') this.#queue.add(classId);
    }
    await this.#indexQueued();
  }

  /** Classes take turns, one block each: no one can keep the index of other classes waiting by many changes. */
  async #indexQueued(): Promise<void> {
    for (const classId of this.#queue) {
      this.#queue.delete(classId);
      const isComplete = await this.#indexNewest(classId);
      if (this.#stopping.signal.aborted) return;
      if (!isComplete) this.#queue.add(classId);
    }
  }

  /** @returns whether no block is left to index */
  async #indexNewest(classId: string): Promise<boolean> {
    const row = await findClass(this.#db, classId);
    if (!row) return true;
    const complete = toBlock(row.seq + 1);
    const indexed = new Set(await listIndexedBlocks(this.#db, classId));
    // Newest first: members search recent messages most.
    let block = complete - 1;
    while (indexed.has(block)) block -= 1;
    if (block < 0 || !this.#commits || this.#stopping.signal.aborted) return true;
    const startedAt = performance.now();
    const isDone = await indexBlock(this.#db, this.#commits, classId, block);
    const pauseMs = (performance.now() - startedAt) * pauseFactor;
    await sleep(Math.min(pauseMs, maxPauseMs), undefined, { signal: this.#stopping.signal }).catch(
      () => {},
    );
    // If a message of the block has changed meanwhile, that change has queued the class, too.
    return !isDone;
  }

  #queueChanged(changedClassId: string): void {
    this.#changedClassIds.add(changedClassId);
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = null;
      for (const classId of this.#changedClassIds) this.#queue.add(classId);
      this.#changedClassIds.clear();
      this.#run(() => this.#indexQueued());
    }, changeDelayMs).unref();
  }

  #run(work: () => Promise<void>): void {
    if (this.#stopping.signal.aborted) return;
    const previousWork = this.#runningWork ?? Promise.resolve();
    const current = previousWork
      .then(work)
      .catch((error: unknown) => this.#log.warn('index.failed', { error }))
      .finally(() => {
        if (this.#runningWork === current) this.#runningWork = null;
      });
    this.#runningWork = current;
  }
}

const hasCompleteBlock = (head: number) => head + 1 >= blockLength;

const isTextChange = ({ kind }: LogItem) =>
  kind === 'edited' || kind === 'deleted' || kind === 'moderated';
