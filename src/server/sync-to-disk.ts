import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until the file, or the names in the folder, are on the disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
