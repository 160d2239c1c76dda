// How far the digests of a day have come, as one value. It is written in the commit that queues mails, so a crash repeats
// none of them, and it says nothing about an account.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  findMetadata,
  replaceMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';

export interface Progress {
  /** The day in days since 1970. */
  day: number;
  /** Accounts up to this place had their turn. Places are from 0 to 1. */
  place: number;
}

const name = 'digestProgress';
const paddedBytes = 64;

export interface StoredProgress {
  /** Null before the first digest; 'unknown' after a restore or a change of the server key. */
  progress: Progress | 'unknown' | null;
  /** The value as it is stored; null if there is none. */
  value: string | null;
}

export interface ProgressStore {
  read(db: Database): Promise<StoredProgress>;
  /**
   * @param previousValue the stored value that the progress continues
   * @returns the new value
   * @throws {AppError} UNAVAILABLE if another commit has replaced it: one of another node, or one whose answer was lost
   */
  write(db: DatabaseTransaction, previousValue: string | null, progress: Progress): Promise<string>;
}

/** Forgets the progress when the server key changes. It is then unknown which digests of the day have left. */
export async function forgetDigestProgress(db: DatabaseTransaction): Promise<void> {
  if ((await findMetadata(db, name)) !== null) await writeMetadata(db, name, '');
}

/** @param epoch a restored database has another one, and digests may have left since the backup */
export function createProgressStore(key: KeyObject, epoch: string): ProgressStore {
  return {
    async read(db) {
      const value = await findMetadata(db, name);
      if (value === null) return { progress: null, value };
      try {
        return { progress: JSON.parse(unseal(key, value, epoch)) as Progress, value };
      } catch {
        return { progress: 'unknown', value };
      }
    },
    async write(db, previousValue, progress) {
      const value = seal(key, JSON.stringify(progress), { context: epoch, padTo: paddedBytes });
      if (!(await replaceMetadata(db, name, previousValue, value))) {
        throw new AppError('UNAVAILABLE');
      }
      return value;
    },
  };
}
