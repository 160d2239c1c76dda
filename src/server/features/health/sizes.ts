// How large the data is, and how much space is left.
import { statfs } from 'node:fs/promises';
import { overviewSteps } from '#contract/limits.ts';
import { createNoisyGauge } from '#server/base/noisy-gauge.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Database } from '#server/store/tables.ts';
import { sumPictureBytes } from '#server/chat/attachments/attachment-queries.ts';
import { listDiskFolders } from '#server/pictures/upload-space.ts';
import { getDatabaseBytes } from './daily-counts-queries.ts';

type Settings = Pick<Config, 'dataDir' | 'database'>;

/** Sizes in bytes. */
export interface Sizes {
  database: number;
  pictures: number;
  /** The free space on the disk of the data folder. */
  free: number;
}

export async function measureFreeSpace(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize;
}

/** Less is a warning on /admin, of the doctor and of the monitoring. */
export const lowFreeBytes = 2 * 1024 ** 3;

/** @returns a check of the disks that this server writes to, in steps so coarse that a single upload does not show */
export function createDiskCheck(
  config: Pick<Config, 'dataDir' | 'database' | 'images' | 'backups'>,
): () => Promise<boolean> {
  const folders = [config.dataDir, ...listDiskFolders(config), config.backups?.dir ?? []].flat();
  const coarseFree = createNoisyGauge(overviewSteps.bytes);
  return async () => {
    // A folder that does not exist yet fills no disk.
    const free = folders.map((folder) => measureFreeSpace(folder).catch(() => Infinity));
    return coarseFree.renew(Math.min(...(await Promise.all(free)))) < lowFreeBytes;
  };
}

export async function getSizes(db: Database, { dataDir, database }: Settings): Promise<Sizes> {
  return {
    database: await getDatabaseBytes(db, database.kind),
    pictures: await sumPictureBytes(db),
    free: await measureFreeSpace(dataDir),
  };
}
