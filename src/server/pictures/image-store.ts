// Storage for the files of pictures and PDFs, on disk or in S3. The content under a name never changes, and
// names are never reused.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { access, constants, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { syncToDisk } from '#server/base/atomic-files.ts';
import { getErrorCode } from '#server/base/startup-failure.ts';

export interface StoredImage {
  bytes: number;
  content: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface ImageStore {
  /** Resolves only when the file is stored durably. */
  put(name: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Returns null if the file does not exist, for example if the store is older than the database. */
  open(name: string): Promise<StoredImage | null>;
  /** Resolves when the file is deleted durably. A missing file is ignored. */
  delete(name: string): Promise<void>;
  /** Rejects if pictures can be neither read nor stored. It may take long, if the store does not answer. */
  check(): Promise<void>;
}

/** Stores pictures as files of one folder that only this user can read. */
export function createDiskStore(dir: string): ImageStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 });

  return {
    async put(name, content) {
      const unfinished = join(dir, `${name}.unfinished`);
      const file = await open(unfinished, 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, join(dir, name));
      await syncFolder(dir);
    },
    async open(name) {
      try {
        const file = await open(join(dir, name), 'r');
        const { size } = await file.stat();
        const content = Readable.toWeb(file.createReadStream()) as ReadableStream<
          Uint8Array<ArrayBuffer>
        >;
        return { bytes: size, content };
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
    async delete(name) {
      // Also deletes a partial file that a killed server left behind.
      await rm(join(dir, `${name}.unfinished`), { force: true });
      await rm(join(dir, name), { force: true });
      await syncFolder(dir);
    },
    check: () => access(dir, constants.R_OK | constants.W_OK | constants.X_OK),
  };
}

/** Makes new and deleted file names survive a power failure. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const isComplete = (name: string) => /\.(webp|pdf)$/.test(name);
/** Whether a file in a folder of pictures can have this name, also the file of an interrupted copy. */
export const isImageName = (name: string) => isComplete(name.replace(/\.unfinished$/, ''));

/** The names of the complete files of a folder of pictures. */
export function listImages(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).filter(isComplete) : [];
}

/**
 * Copies the pictures that `to` does not have yet. It is safe while the server runs: a file under its
 * final name is complete and never changes, and a file that is deleted meanwhile is skipped.
 *
 * @param wantedNames the names to copy; by default all
 * @returns the number of pictures in `from` that are wanted
 */
export function copyImages(from: string, to: string, wantedNames?: ReadonlySet<string>): number {
  const names = listImages(from).filter((name) => wantedNames?.has(name) ?? true);
  if (names.length === 0) return 0;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const existing = new Set(readdirSync(to));
  for (const name of names) {
    if (existing.has(name)) continue;
    try {
      const unfinished = join(to, `${name}.unfinished`);
      copyFileSync(join(from, name), unfinished);
      syncToDisk(unfinished);
      renameSync(unfinished, join(to, name));
    } catch (error) {
      if (getErrorCode(error) !== 'ENOENT') throw error;
    }
  }
  syncToDisk(to);
  return names.length;
}
