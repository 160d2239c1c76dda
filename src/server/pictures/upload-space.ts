// Rejects uploads while a disk is nearly full, or while all pictures and PDFs together have reached their maximum size, so that
// texts and backups have space.
import { statfs } from 'node:fs/promises';
import { AppError } from '#contract/errors.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import type { Database } from '#server/store/tables.ts';
import { sumPictureBytes } from '#server/chat/attachments/attachment-queries.ts';

/** What is full. */
type FullPlace = 'disk' | 'pictures';

/** What operators read in the log, on /admin and from the doctor. */
export const uploadProblems: Readonly<Record<FullPlace, string>> = {
  disk: 'Uploads are rejected: less than 5 % or KEEP_FREE_GB of the disk is free.',
  pictures: 'Uploads are rejected: all pictures and PDFs together need MAX_PICTURES_GB.',
};

export interface UploadSpace {
  /** @throws {AppError} STORAGE_FULL */
  check(): Promise<void>;
  /** Finds what is full, so that uploads are rejected. @returns null if nothing is full */
  findFullPlace(): Promise<FullPlace | null>;
  /** Adds an upload to the sum, until the sum is read again. */
  add(bytes: number): void;
}

/** The part of a disk that uploads leave free. */
const keptShare = 0.05; // PIC-82
/** The default part of the disk that pictures can fill. */
const shareOfDisk = 0.5; // PIC-85
const gigabyte = 1e9;
/** The sum is read seldom, because the query reads a row for each picture. In between, uploads to this server are added to it. */
const sumIsValidMs = 10 * 60_000;
const logEveryMs = 60 * 60_000; // PIC-86

type Settings = Pick<Config, 'dataDir' | 'database' | 'images' | 'keepFreeGb' | 'maxPicturesGb'>;

/** The folders on whose disks the server stores data. */
export function listDiskFolders({
  dataDir,
  database,
  images,
}: Pick<Settings, 'dataDir' | 'database' | 'images'>): string[] {
  return [
    ...(database.kind === 'sqlite' ? [dataDir] : []),
    ...(images.kind === 'disk' ? [images.dir] : []),
  ];
}

export function createUploadSpace(
  db: Database,
  settings: Settings,
  log: Pick<Log, 'warn'>,
): UploadSpace {
  const { images, keepFreeGb, maxPicturesGb } = settings;
  const folders = listDiskFolders(settings);
  let storedBytes = 0;
  let validUntil = -Infinity;
  let silentUntil = -Infinity;

  async function isDiskFull(): Promise<boolean> {
    if (keepFreeGb === 0) return false;
    for (const folder of folders) {
      const { bavail, blocks, bsize } = await statfs(folder);
      const free = bavail * bsize;
      if (free < keepFreeGb * gigabyte || free < blocks * bsize * keptShare) return true;
    }
    return false;
  }

  async function findMaxBytes(): Promise<number> {
    if (maxPicturesGb !== null) return maxPicturesGb * gigabyte;
    if (images.kind === 's3') return Infinity;
    const { blocks, bsize } = await statfs(images.dir);
    return blocks * bsize * shareOfDisk;
  }

  async function findFullPlace(): Promise<FullPlace | null> {
    if (await isDiskFull()) return 'disk';
    if (performance.now() >= validUntil) {
      validUntil = performance.now() + sumIsValidMs;
      storedBytes = await sumPictureBytes(db);
    }
    return storedBytes >= (await findMaxBytes()) ? 'pictures' : null;
  }

  return {
    findFullPlace,
    async check() {
      const place = await findFullPlace();
      if (place === null) return;
      if (performance.now() >= silentUntil) {
        silentUntil = performance.now() + logEveryMs;
        log.warn('uploads.rejected', { hint: uploadProblems[place] });
      }
      throw new AppError('STORAGE_FULL');
    },
    add(bytes) {
      storedBytes += bytes;
    },
  };
}
