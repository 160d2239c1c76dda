// Zeroes the unused bytes of the SQLite file. Page splits leave old copies of rows there, so an erased text
// stays on the disk until the scrubber has passed over it.
import { closeSync, fdatasync, openSync, read, readSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql, type Kysely } from 'kysely';
import type { Log } from '#server/base/log.ts';
import type { Tables } from '#server/store/tables.ts';
import { listFilledSpans, maxPages, listUnusedSpans } from './unused-bytes.ts';
import { emptyWal } from './wal-checkpointer.ts';

/** The delay from an erasure to the pass over the file. The delay grows with the duration of the last pass. */
const defaultMinDelayMs = 4_000;
const maxDelayMs = 30_000;
const delayPerPass = 4;
/** The size of one read and the pause after it limit the scan to about 150 MiB a second. */
const bytesPerRead = 1024 * 1024;
const readPauseMs = 5;
/** Pages that one step clears. A step blocks the process for a few milliseconds. */
const pagesPerStep = 64;
const stepPauseMs = 20;

const readAt = promisify(read);
const syncData = promisify(fdatasync);

export class PageScrubber {
  readonly #db: Kysely<Tables>;
  readonly #file: string;
  readonly #log: Log;
  readonly #descriptor: number;
  readonly #minDelayMs: number;
  #delayMs: number;
  #timer: NodeJS.Timeout | null = null;
  #currentPass: Promise<void> | null = null;
  #isDue = false;
  #isStopped = false;
  #isFailing = false;

  /** Schedules a first pass, for erasures before the last shutdown. */
  constructor(db: Kysely<Tables>, file: string, log: Log, minDelayMs = defaultMinDelayMs) {
    this.#db = db;
    this.#file = file;
    this.#log = log;
    this.#descriptor = openSync(file, 'r+');
    this.#minDelayMs = minDelayMs;
    this.#delayMs = minDelayMs;
    this.schedule();
  }

  /** Schedules a pass after an erasure. */
  schedule(): void {
    this.#isDue = true;
    if (this.#isStopped || this.#currentPass) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#currentPass = this.#run();
    }, this.#delayMs);
  }

  /** Starts no more passes. Resolves when no pass is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#currentPass;
  }

  /**
   * Call only after the database is closed: POSIX drops all locks that the process holds on a file, SQLite's
   * included, when the process closes any descriptor of the file.
   */
  closeFile(): void {
    closeSync(this.#descriptor);
  }

  async #run(): Promise<void> {
    this.#isDue = false;
    const startedAt = performance.now();
    try {
      const isComplete = await this.#scrub();
      if (!isComplete) this.#isDue = true;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('erase.failed', { error });
      this.#isFailing = true;
      this.#isDue = true;
    }
    const passMs = performance.now() - startedAt;
    this.#delayMs = Math.min(Math.max(passMs * delayPerPass, this.#minDelayMs), maxDelayMs);
    this.#currentPass = null;
    if (this.#isDue) this.schedule();
  }

  /** @returns false if another program's read blocks the checkpoint */
  async #scrub(): Promise<boolean> {
    // Checkpoint first: the scan reads only the main file, so earlier erasures must be there.
    if (!(await emptyWal(this.#db))) return false;
    const pages = await this.#findFilledPages();
    for (let start = 0; start < pages.length && !this.#isStopped; start += pagesPerStep) {
      if (!(await this.#clearPages(pages.slice(start, start + pagesPerStep)))) return false;
      await sleep(stepPauseMs);
    }
    if (pages.length > 0) await syncData(this.#descriptor);
    return true;
  }

  /**
   * Finds the pages that have unused bytes. The scan has no lock, so it may be wrong about a page that changes: `#clearPages`
   * checks each page again.
   */
  async #findFilledPages(): Promise<number[]> {
    const { pageSize, usableSize } = this.#loadSizes();
    const buffer = Buffer.alloc(bytesPerRead);
    const pagesPerRead = bytesPerRead / pageSize;
    const filledPages: number[] = [];
    // The first page holds only the schema.
    for (let first = 2; !this.#isStopped; first += pagesPerRead) {
      if (first + pagesPerRead > maxPages) {
        throw new Error('The database file is too large to scrub.');
      }
      const position = (first - 1) * pageSize;
      const { bytesRead } = await readAt(this.#descriptor, buffer, 0, bytesPerRead, position);
      for (let n = 0; (n + 1) * pageSize <= bytesRead; n++) {
        const page = buffer.subarray(n * pageSize, (n + 1) * pageSize);
        if (listFilledSpans(page, listUnusedSpans(page, usableSize)).length > 0) {
          filledPages.push(first + n);
        }
      }
      if (bytesRead < bytesPerRead) break;
      await sleep(readPauseMs);
    }
    return filledPages;
  }

  #loadSizes(): { pageSize: number; usableSize: number } {
    const header = Buffer.alloc(100);
    readSync(this.#descriptor, header, 0, header.length, 0);
    const storedSize = header.readUInt16BE(16);
    const pageSize = storedSize === 1 ? 65_536 : storedSize;
    return { pageSize, usableSize: pageSize - header.readUInt8(20) };
  }

  /**
   * Zeroes the unused bytes of these pages. Meanwhile it holds the write lock and the WAL is empty, so the file is the whole
   * database, and no process writes to it. SQLite never reads these bytes: a crash leaves a valid file, and readers are
   * unaffected.
   *
   * @returns false if another program blocks the checkpoint
   */
  #clearPages(pages: readonly number[]): Promise<boolean> {
    const descriptor = this.#descriptor;
    const { pageSize, usableSize } = this.#loadSizes();
    const page = Buffer.alloc(pageSize);
    const zeros = Buffer.alloc(pageSize);
    return this.#db.connection().execute(async (connection) => {
      if (!(await emptyWal(connection))) return false;
      await sql`begin immediate`.execute(connection);
      try {
        const walFile = statSync(`${this.#file}-wal`, { throwIfNoEntry: false });
        if ((walFile?.size ?? 0) > 0) return false;
        for (const number of pages) {
          const position = (number - 1) * pageSize;
          if (readSync(descriptor, page, 0, pageSize, position) < pageSize) continue;
          for (const { from, to } of listFilledSpans(page, listUnusedSpans(page, usableSize))) {
            writeSync(descriptor, zeros, 0, to - from, position + from);
          }
        }
        return true;
      } finally {
        await sql`rollback`.execute(connection);
        // Drops cached pages: SQLite would write their old bytes back.
        await sql`pragma shrink_memory`.execute(connection);
      }
    });
  }
}
