// Erases old content from the SQLite files: empties the -wal file, and zeroes the unused bytes of the pages that have changed.
// Page splits leave old copies of rows in these bytes, so an erased text would stay on the disk.
import { closeSync, fdatasync, fstatSync, openSync, read, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type SQLite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Tables } from '#server/store/tables.ts';
import { listFilledSpans, listUnusedSpans } from './unused-bytes.ts';
import type { WalFile } from './wal-file.ts';

const defaultIntervalMs = 2_000;
/**
 * The -wal file shows what one commit has written. A checkpoint blocks the server for a few milliseconds, so one checkpoint covers
 * several commits.
 */
const emptyingIntervalMs = 1_000;
/** The size of one read and the pause after it limit the scan to about 150 MiB a second. */
const bytesPerRead = 1024 * 1024;
const readPauseMs = 5;
/** Pages that one step clears. A step blocks the process for a few milliseconds. */
const pagesPerStep = 64;
const stepPauseMs = 20;

const readAt = promisify(read);
const syncData = promisify(fdatasync);

interface ScrubbedFile {
  file: string;
  /** The server's handle, and the same one for Kysely. */
  database: SQLite.Database;
  db: Kysely<Tables>;
  walFile: WalFile;
}

interface FileSizes {
  pageSize: number;
  usableSize: number;
  pageCount: number;
}

export class PageScrubber {
  readonly #scrubbed: ScrubbedFile;
  readonly #log: Log;
  readonly #descriptor: number;
  readonly #stopScrubbing: () => Promise<void>;
  readonly #stopEmptying: () => Promise<void>;
  #isStopped = false;
  #isFailing = false;

  /** The first pass covers the whole file, because no one knows what has changed before. */
  constructor(scrubbed: ScrubbedFile, log: Log, intervalMs = defaultIntervalMs) {
    this.#scrubbed = scrubbed;
    this.#log = log;
    this.#descriptor = openSync(scrubbed.file, 'r+');
    this.#stopScrubbing = startRepeating(() => this.#run(() => this.#scrub()), intervalMs);
    this.#stopEmptying = startRepeating(
      () => this.#run(() => this.#emptyWal()),
      emptyingIntervalMs,
    );
  }

  /** Starts no more passes. Resolves when no pass is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#stopScrubbing(), this.#stopEmptying()]);
  }

  /**
   * Call only after the database is closed: POSIX drops all locks that the process holds on a file, SQLite's
   * included, when the process closes any descriptor of the file.
   */
  closeFile(): void {
    closeSync(this.#descriptor);
  }

  async #run(task: () => Promise<unknown>): Promise<void> {
    try {
      await task();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('erase.failed', { error });
      this.#isFailing = true;
    }
  }

  /** @returns false if another program blocks the checkpoint */
  async #emptyWal(): Promise<boolean> {
    const { db, database, walFile } = this.#scrubbed;
    return walFile.isEmpty() || db.connection().execute(async () => walFile.empty(database));
  }

  async #scrub(): Promise<void> {
    const { walFile } = this.#scrubbed;
    // The scan reads only the main file, so earlier changes must be there.
    if (!(await this.#emptyWal())) return;
    const changedPages = walFile.takeChangedPages();
    let filledPages: number[] | null = null;
    let clearedCount = 0;
    try {
      filledPages = await this.#findFilledPages(changedPages);
      for (; clearedCount < filledPages.length && !this.#isStopped; clearedCount += pagesPerStep) {
        const step = filledPages.slice(clearedCount, clearedCount + pagesPerStep);
        if (!(await this.#clearPages(step))) return;
        await sleep(stepPauseMs);
      }
      if (filledPages.length > 0) await syncData(this.#descriptor);
    } finally {
      walFile.returnChangedPages(
        filledPages ? new Set(filledPages.slice(clearedCount)) : changedPages,
      );
    }
  }

  /**
   * Finds the pages that have unused bytes. The scan has no lock, so it may be wrong about a page that changes: `#clearPages`
   * checks each page again.
   */
  async #findFilledPages(changedPages: ReadonlySet<number> | 'all'): Promise<number[]> {
    const sizes = this.#loadSizes();
    const { pageSize } = sizes;
    const maxCount = bytesPerRead / pageSize;
    const buffer = Buffer.alloc(bytesPerRead);
    const filledPages: number[] = [];
    let readBytes = 0;
    for (const { first, count } of listRuns(changedPages, sizes.pageCount, maxCount)) {
      if (this.#isStopped) break;
      const position = (first - 1) * pageSize;
      const { bytesRead } = await readAt(this.#descriptor, buffer, 0, count * pageSize, position);
      for (let n = 0; (n + 1) * pageSize <= bytesRead; n++) {
        const page = buffer.subarray(n * pageSize, (n + 1) * pageSize);
        if (listFilled(page, sizes).length > 0) filledPages.push(first + n);
      }
      readBytes += bytesRead;
      if (readBytes < bytesPerRead) continue;
      readBytes = 0;
      await sleep(readPauseMs);
    }
    return filledPages;
  }

  #loadSizes(): FileSizes {
    const header = Buffer.alloc(100);
    readSync(this.#descriptor, header, 0, header.length, 0);
    const storedSize = header.readUInt16BE(16);
    const pageSize = storedSize === 1 ? 65_536 : storedSize;
    const usableSize = pageSize - header.readUInt8(20);
    return { pageSize, usableSize, pageCount: fstatSync(this.#descriptor).size / pageSize };
  }

  /**
   * Zeroes the unused bytes of these pages. Meanwhile it holds the write lock and the WAL is empty, so the file is the whole
   * database, and no process writes to it. SQLite never reads these bytes: a crash leaves a valid file, and readers are
   * unaffected.
   *
   * @returns false if another program blocks the checkpoint
   */
  #clearPages(pages: readonly number[]): Promise<boolean> {
    const { db, database, walFile } = this.#scrubbed;
    const sizes = this.#loadSizes();
    const { pageSize } = sizes;
    const page = Buffer.alloc(pageSize);
    const zeros = Buffer.alloc(pageSize);
    // Kysely has one connection, so no transaction of the server is open meanwhile.
    return db.connection().execute(async () => {
      if (!walFile.empty(database)) return false;
      database.exec('begin immediate');
      try {
        if (!walFile.isEmpty()) return false;
        for (const number of pages) {
          const position = (number - 1) * pageSize;
          if (readSync(this.#descriptor, page, 0, pageSize, position) < pageSize) continue;
          for (const { from, to } of listFilled(page, sizes)) {
            writeSync(this.#descriptor, zeros, 0, to - from, position + from);
          }
        }
        return true;
      } finally {
        database.exec('rollback');
        // Drops cached pages: SQLite would write their old bytes back.
        database.pragma('shrink_memory');
      }
    });
  }
}

function listFilled(page: Buffer, { usableSize, pageCount }: FileSizes) {
  return listFilledSpans(page, listUnusedSpans(page, usableSize, pageCount));
}

/** Lists pages that are read together, without the first page, which holds only the schema. */
function* listRuns(
  pages: ReadonlySet<number> | 'all',
  pageCount: number,
  maxCount: number,
): Generator<{ first: number; count: number }> {
  if (pages === 'all') {
    for (let first = 2; first <= pageCount; first += maxCount) yield { first, count: maxCount };
    return;
  }
  for (const page of pages) if (page > 1) yield { first: page, count: 1 };
}
