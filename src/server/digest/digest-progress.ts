// How far the digests of a day have come, as one value. It is written in the commit that queues mails, so a crash repeats
// none of them, and it says nothing about an account.
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from '../seal.ts';
import type { Database, DatabaseTransaction } from '../storage/database.ts';
import { readMetadata, writeMetadata } from '../storage/queries/server-metadata.ts';

export interface Progress {
  /** In days since 1970. */
  day: number;
  /** Accounts up to this place had their turn. Places are from 0 to 1. */
  place: number;
}

const name = 'digestProgress';
const paddedBytes = 64;

export interface ProgressStore {
  /** @returns null before the first digest; 'unknown' after a restore or a change of the server key */
  read(db: Database): Promise<Progress | 'unknown' | null>;
  write(db: DatabaseTransaction, progress: Progress): Promise<void>;
}

/** For a change of the server key. It is then unknown which digests of the day have left. */
export async function forgetDigestProgress(db: DatabaseTransaction): Promise<void> {
  if ((await readMetadata(db, name)) !== null) await writeMetadata(db, name, '');
}

/** @param epoch a restored database has another one, and digests may have left since the backup */
export function createProgressStore(key: KeyObject, epoch: string): ProgressStore {
  return {
    async read(db) {
      const sealed = await readMetadata(db, name);
      if (sealed === null) return null;
      try {
        return JSON.parse(unseal(key, sealed, epoch)) as Progress;
      } catch {
        return 'unknown';
      }
    },
    write: (db, progress) =>
      writeMetadata(
        db,
        name,
        seal(key, JSON.stringify(progress), { context: epoch, padTo: paddedBytes }),
      ),
  };
}
