import { renameSync, rmSync } from 'node:fs';

/** Replaces a folder. If several processes do this concurrently, the last one wins. */
export function replaceFolder(from: string, to: string): void {
  for (;;) {
    try {
      rmSync(to, { recursive: true, force: true });
      renameSync(from, to);
      return;
    } catch (error) {
      // Another process created or removed the folder in the meantime.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
}
