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

export interface PageScrubber {
  /** Schedules a pass after an erasure. */
  schedule(): void;
  /** Starts no more passes; resolves when none is running. */
  stop(): Promise<void>;
  /**
   * Call only after the database is closed: POSIX drops all locks that the process holds on a file, SQLite's
   * included, when the process closes any descriptor of the file.
   */
  closeFile(): void;
}

/** The delay from an erasure to its pass. It grows with the length of the last pass. */
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

/** Starts with a pass for erasures before the last shutdown. */
export function createPageScrubber(
  db: Kysely<Tables>,
  file: string,
  log: Log,
  minDelayMs = defaultMinDelayMs,
): PageScrubber {
  const descriptor = openSync(file, 'r+');
  let delayMs = minDelayMs;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isDue = false;
  let isStopped = false;
  let isFailing = false;

  function schedule(): void {
    isDue = true;
    if (isStopped || running) return;
    timer ??= setTimeout(() => {
      timer = null;
      running = run();
    }, delayMs);
  }

  async function run(): Promise<void> {
    isDue = false;
    const startedAt = performance.now();
    try {
      isDue = !(await scrub()) || isDue;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('erase.failed', { error });
      isFailing = true;
      isDue = true;
    }
    const passMs = performance.now() - startedAt;
    delayMs = Math.min(Math.max(passMs * delayPerPass, minDelayMs), maxDelayMs);
    running = null;
    if (isDue) schedule();
  }

  /** @returns false if another program's read blocks it */
  async function scrub(): Promise<boolean> {
    // Checkpoint first: the scan reads only the main file, so earlier erasures must be there.
    if (!(await emptyWal(db))) return false;
    const pages = await findFilledPages();
    for (let done = 0; done < pages.length && !isStopped; done += pagesPerStep) {
      if (!(await clearPages(pages.slice(done, done + pagesPerStep)))) return false;
      await sleep(stepPauseMs);
    }
    if (pages.length > 0) await syncData(descriptor);
    return true;
  }

  /**
   * Scans without a lock, so it may miss or misreport a page that changes. `clearPages` checks each page
   * again.
   */
  async function findFilledPages(): Promise<number[]> {
    const { pageSize, usableSize } = readSizes();
    const buffer = Buffer.alloc(bytesPerRead);
    const pagesPerRead = bytesPerRead / pageSize;
    const filled: number[] = [];
    // The first page holds only the schema.
    for (let first = 2; !isStopped; first += pagesPerRead) {
      if (first + pagesPerRead > maxPages) {
        throw new Error('The database file is too large to scrub.');
      }
      const position = (first - 1) * pageSize;
      const { bytesRead } = await readAt(descriptor, buffer, 0, bytesPerRead, position);
      for (let n = 0; (n + 1) * pageSize <= bytesRead; n++) {
        const page = buffer.subarray(n * pageSize, (n + 1) * pageSize);
        if (listFilledSpans(page, listUnusedSpans(page, usableSize)).length > 0) {
          filled.push(first + n);
        }
      }
      if (bytesRead < bytesPerRead) break;
      await sleep(readPauseMs);
    }
    return filled;
  }

  function readSizes(): { pageSize: number; usableSize: number } {
    const header = Buffer.alloc(100);
    readSync(descriptor, header, 0, header.length, 0);
    const stored = header.readUInt16BE(16);
    const pageSize = stored === 1 ? 65_536 : stored;
    return { pageSize, usableSize: pageSize - header.readUInt8(20) };
  }

  /**
   * Holds the write lock while the WAL is empty, so the file is the whole database and no process writes to
   * it. SQLite never reads these bytes: a crash leaves a valid file, and concurrent readers are unaffected.
   *
   * @returns false if another program blocks it
   */
  function clearPages(pages: readonly number[]): Promise<boolean> {
    const { pageSize, usableSize } = readSizes();
    const page = Buffer.alloc(pageSize);
    const zeros = Buffer.alloc(pageSize);
    return db.connection().execute(async (connection) => {
      if (!(await emptyWal(connection))) return false;
      await sql`begin immediate`.execute(connection);
      try {
        if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
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

  schedule();

  return {
    schedule,
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
    closeFile: () => closeSync(descriptor),
  };
}
