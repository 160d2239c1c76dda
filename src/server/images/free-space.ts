// Keeps free space on the disks, so that texts can still be saved when uploads have filled the rest.
import { statfs } from 'node:fs/promises';
import { AppError } from '#contract/errors.ts';

/** The part of a disk that uploads leave free. */
const keptShare = 0.05; // PIC-82
const gigabyte = 1e9;

/**
 * @param folders the folders of the pictures and of the database
 * @param keepFreeGb what uploads leave free on each disk; 0 turns the check off
 * @throws {AppError} STORAGE_FULL
 */
export async function checkFreeSpace(
  folders: readonly string[],
  keepFreeGb: number,
): Promise<void> {
  if (keepFreeGb === 0) return;
  for (const folder of folders) {
    const { bavail, blocks, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (free < keepFreeGb * gigabyte || free < blocks * bsize * keptShare) {
      throw new AppError('STORAGE_FULL');
    }
  }
}
