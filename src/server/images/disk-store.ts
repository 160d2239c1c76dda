import { mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ImageStore } from './image-store.ts';

/** Stores pictures as files of one folder that only this user can read. */
export function diskStore(dir: string): ImageStore {
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
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async delete(name) {
      // Also deletes a partial file that a killed server left behind.
      await rm(join(dir, `${name}.unfinished`), { force: true });
      await rm(join(dir, name), { force: true });
      await syncFolder(dir);
    },
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
