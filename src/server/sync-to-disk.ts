import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until a file, or the entries of a folder, are on the disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
