import { renameSync, rmSync } from 'node:fs';

/** Puts a folder in another one's place, also when several processes do so at once: the last one stays. */
export function replaceFolder(from: string, to: string): void {
  for (;;) {
    try {
      rmSync(to, { recursive: true, force: true });
      renameSync(from, to);
      return;
    } catch (error) {
      // Another process has put its own there in between, or takes away what we do.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
}
