// Bounds what all pictures and PDFs need together, so that they leave the disk to texts and backups.
import { statfs } from 'node:fs/promises';
import { AppError } from '#contract/errors.ts';
import type { Config } from '../config.ts';
import type { Database } from '../storage/database.ts';
import { sumPictureBytes } from '../storage/queries/daily-counts.ts';

export interface PictureQuota {
  /** @throws {AppError} STORAGE_FULL */
  check(): Promise<void>;
  /** Counts an upload until the next sum. */
  add(bytes: number): void;
}

/** The default part of the disk that pictures can fill. */
const shareOfDisk = 0.5; // PIC-85
const gigabyte = 1e9;
/** The sum reads a row for each picture. Until the next one, only the uploads of this server are added. */
const sumIsValidMs = 10 * 60_000;

export function createPictureQuota(
  db: Database,
  { images, maxPicturesGb }: Pick<Config, 'images' | 'maxPicturesGb'>,
): PictureQuota {
  let storedBytes = 0;
  let validUntil = -Infinity;

  async function findMaxBytes(): Promise<number> {
    if (maxPicturesGb !== null) return maxPicturesGb * gigabyte;
    if (images.kind === 's3') return Infinity;
    const { blocks, bsize } = await statfs(images.dir);
    return blocks * bsize * shareOfDisk;
  }

  return {
    async check() {
      if (performance.now() >= validUntil) {
        validUntil = performance.now() + sumIsValidMs;
        storedBytes = await sumPictureBytes(db);
      }
      if (storedBytes >= (await findMaxBytes())) throw new AppError('STORAGE_FULL');
    },
    add(bytes) {
      storedBytes += bytes;
    },
  };
}
