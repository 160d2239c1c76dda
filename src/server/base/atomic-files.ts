// Replaces files and folders as a whole: after a crash, and for other processes, each is complete or missing.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { getErrorCode } from './startup-failure.ts';

/** Writes a file that only this user can read, and syncs it to disk. */
export function writePrivateFile(file: string, text: string): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, text, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
  syncToDisk(dirname(file));
}

/** Waits until a file, or the entries of a folder, are on the disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Replaces a folder. If several processes do this concurrently, the last one wins. */
export function replaceFolder(from: string, to: string): void {
  for (;;) {
    try {
      rmSync(to, { recursive: true, force: true });
      renameSync(from, to);
      return;
    } catch (error) {
      // Another process created or removed the folder in the meantime.
      if (!['ENOTEMPTY', 'EEXIST'].includes(getErrorCode(error))) throw error;
    }
  }
}
