// SQLite's -wal file. Old content stays readable in it until a checkpoint truncates it, and its frames say which pages of the
// database file have changed.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { getErrorCode } from '#server/base/startup-failure.ts';

/** The format: https://www.sqlite.org/fileformat2.html#walformat */
const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * All checkpoints of a server pass through this object, because a checkpoint drops the frames. Its handles have no automatic
 * checkpoints (see `openSqlite`).
 */
export class WalFile {
  readonly #path: string;
  #changedPages = new Set<number>();
  #areAllChanged = true;
  /** The header of the frames that were read last, and the end of their last commit. */
  #header = Buffer.alloc(headerBytes);
  #readBytes = 0;

  /** @param file the database file, of which nothing is known yet, so that all its pages count as changed */
  constructor(file: string) {
    this.#path = `${file}-wal`;
  }

  isEmpty(): boolean {
    return (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  }

  /**
   * Moves all changes to the database file, and truncates the -wal file.
   *
   * @returns false if another program blocks the checkpoint, such as a backup that reads a snapshot
   */
  empty(database: SQLite.Database): boolean {
    const version = database.pragma('data_version', { simple: true });
    this.#recordPages();
    const [result] = database.pragma('wal_checkpoint(truncate)') as { busy: number }[];
    // A command has committed in between, so the checkpoint may have dropped frames that were not read.
    if (database.pragma('data_version', { simple: true }) !== version) this.#areAllChanged = true;
    return result?.busy === 0;
  }

  /** @returns the pages that have changed since the last call, or 'all' */
  takeChangedPages(): ReadonlySet<number> | 'all' {
    const pages = this.#areAllChanged ? 'all' : this.#changedPages;
    this.#changedPages = new Set();
    this.#areAllChanged = false;
    return pages;
  }

  /** Adds pages that `takeChangedPages` returned. */
  returnChangedPages(pages: ReadonlySet<number> | 'all'): void {
    if (pages === 'all') this.#areAllChanged = true;
    else this.#changedPages = this.#changedPages.union(pages);
  }

  #recordPages(): void {
    const descriptor = this.#open();
    if (descriptor === null) return;
    try {
      const header = Buffer.alloc(headerBytes);
      readSync(descriptor, header, 0, headerBytes, 0);
      // The first commit after a checkpoint can write from the start of the file again, with other salts.
      if (!header.equals(this.#header)) this.#readBytes = headerBytes;
      this.#header = header;
      this.#recordFrames(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  #recordFrames(descriptor: number): void {
    const frameBytes = frameHeaderBytes + this.#header.readUInt32BE(8);
    const salts = this.#header.subarray(16, 24);
    const frame = Buffer.alloc(frameHeaderBytes);
    const { size } = fstatSync(descriptor);
    for (let start = this.#readBytes; start + frameBytes <= size; start += frameBytes) {
      readSync(descriptor, frame, 0, frameHeaderBytes, start);
      // These are old frames, which were read before their checkpoint.
      if (!frame.subarray(8, 16).equals(salts)) return;
      this.#changedPages.add(frame.readUInt32BE(0));
      // The frames of a transaction that was rolled back will be overwritten. Only a commit has a number of pages.
      const isCommit = frame.readUInt32BE(4) > 0;
      if (isCommit) this.#readBytes = start + frameBytes;
    }
  }

  /** Closing this file releases no lock: SQLite locks the database file and the -shm file. */
  #open(): number | null {
    try {
      return openSync(this.#path, 'r');
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }
}
