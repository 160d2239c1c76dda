// How large the data is, and how much space is left.
import { statfs } from 'node:fs/promises';
import type { Config } from '#server/config/config-types.ts';
import type { Database } from '#server/store/tables.ts';
import { sumPictureBytes } from '#server/chat/attachments/attachment-queries.ts';
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

export async function getSizes(db: Database, { dataDir, database }: Settings): Promise<Sizes> {
  return {
    database: await getDatabaseBytes(db, database.kind),
    pictures: await sumPictureBytes(db),
    free: await measureFreeSpace(dataDir),
  };
}
