// Zeroes the bytes of SQLite's file that hold no content any more. Old copies of rows stay there after page
// splits, so an erased text is not gone from the disk before this has passed over the file.
import { closeSync, fdatasync, openSync, read, readSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql, type Kysely } from 'kysely';
import type { Log } from '../log.ts';
import type { Tables } from './database.ts';
import { filledSpans, maxPages, unusedSpans } from './unused-bytes.ts';

export interface PageScrubber {
  /** Something was erased: a pass over the file begins soon. */
  soon(): void;
  /** Begins no more passes; resolves when none is running. */
  stop(): Promise<void>;
  /**
   * After the database was closed, and not before: closing any descriptor of the file ends all of this
   * process's locks on it, SQLite's own included.
   */
  closeFile(): void;
}

/** Between an erasure and the pass that clears it: longer after a long pass, so that few of them run. */
const minDelayMs = 4_000;
const maxDelayMs = 30_000;
const delayPerPass = 4;
/** One read of the scan, and the pause after it: at most some 150 MiB a second. */
const bytesPerRead = 1024 * 1024;
const readPauseMs = 5;
/** Pages that are cleared in one step, which stops everybody for a few milliseconds. */
const pagesPerStep = 64;
const stepPauseMs = 20;

const readAt = promisify(read);
const syncData = promisify(fdatasync);

/** Begins with a pass for what a server that was stopped has left behind. */
export function createPageScrubber(
  db: Kysely<Tables>,
  file: string,
  log: Log,
  shortestDelayMs = minDelayMs,
): PageScrubber {
  const descriptor = openSync(file, 'r+');
  let delayMs = shortestDelayMs;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isDue = false;
  let isStopped = false;
  let isFailing = false;

  function soon(): void {
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
    delayMs = Math.min(Math.max(passMs * delayPerPass, shortestDelayMs), maxDelayMs);
    running = null;
    if (isDue) soon();
  }

  /** @returns false when another program's reading was in the way */
  async function scrub(): Promise<boolean> {
    // What was erased before has to be in the file for the scan to see it.
    if (!(await emptyWal(db))) return false;
    const pages = await findFilledPages();
    for (let done = 0; done < pages.length && !isStopped; done += pagesPerStep) {
      if (!(await clearPages(pages.slice(done, done + pagesPerStep)))) return false;
      await sleep(stepPauseMs);
    }
    if (pages.length > 0) await syncData(descriptor);
    return true;
  }

  /** Without a lock: a page that changes meanwhile may be missed or named for nothing, which is checked again. */
  async function findFilledPages(): Promise<number[]> {
    const { pageSize, usableSize } = readSizes();
    const buffer = Buffer.alloc(bytesPerRead);
    const perRead = bytesPerRead / pageSize;
    const filled: number[] = [];
    // The first page holds the schema alone.
    for (let first = 2; !isStopped; first += perRead) {
      if (first + perRead > maxPages) throw new Error('The database file is too large to scrub.');
      const position = (first - 1) * pageSize;
      const { bytesRead } = await readAt(descriptor, buffer, 0, bytesPerRead, position);
      for (let n = 0; (n + 1) * pageSize <= bytesRead; n++) {
        const page = buffer.subarray(n * pageSize, (n + 1) * pageSize);
        if (filledSpans(page, unusedSpans(page, usableSize)).length > 0) filled.push(first + n);
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
   * Holds the write lock while the -wal file is empty: then the file is the whole database, and neither
   * this process nor another one writes to it. SQLite never reads these bytes, so a crash in between
   * leaves a sound file, and a reader of the same page sees nothing of it.
   *
   * @returns false when another program was in the way
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
          for (const { from, to } of filledSpans(page, unusedSpans(page, usableSize))) {
            writeSync(descriptor, zeros, 0, to - from, position + from);
          }
        }
        return true;
      } finally {
        await sql`rollback`.execute(connection);
        // A page that SQLite keeps in memory would bring the old bytes back when it is written.
        await sql`pragma shrink_memory`.execute(connection);
      }
    });
  }

  soon();

  return {
    soon,
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
    closeFile: () => closeSync(descriptor),
  };
}

async function emptyWal(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows[0]?.busy === 0;
}
