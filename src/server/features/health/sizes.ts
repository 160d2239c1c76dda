// How large the data is, and how much space is left.
import { statfs } from 'node:fs/promises';
import type { Config } from '#server/config/config-types.ts';
import type { Database } from '#server/store/tables.ts';
import { sumPictureBytes } from '#server/chat/messages/attachment-queries.ts';
import { getDatabaseBytes } from './daily-counts-queries.ts';

type Settings = Pick<Config, 'dataDir' | 'database'>;

export interface Sizes {
  database: number;
  pictures: number;
  /** The free space on the disk of the data folder. */
  free: number;
}

/** Measures each size in bytes. */
export const measure: {
  readonly [Size in keyof Sizes]: (db: Database, settings: Settings) => Promise<number>;
} = {
  database: (db, { database }) => getDatabaseBytes(db, database.kind),
  pictures: (db) => sumPictureBytes(db),
  async free(_db, { dataDir }) {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  },
};

export async function getSizes(db: Database, settings: Settings): Promise<Sizes> {
  return {
    database: await measure.database(db, settings),
    pictures: await measure.pictures(db, settings),
    free: await measure.free(db, settings),
  };
}
