import { copyFileSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { syncToDisk } from '../sync-to-disk.ts';

/**
 * Copies the pictures that `to` does not have yet. It is safe while the server runs: a file under its
 * final name is complete and never changes, and a file that is deleted meanwhile is skipped.
 *
 * @returns the number of pictures in `from`
 */
export function copyImages(from: string, to: string): number {
  const names = existsSync(from) ? readdirSync(from).filter((name) => name.endsWith('.webp')) : [];
  if (names.length === 0) return 0;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const there = new Set(readdirSync(to));
  for (const name of names) {
    if (there.has(name)) continue;
    try {
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_EXCL);
      syncToDisk(join(to, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  syncToDisk(to);
  return names.length;
}
