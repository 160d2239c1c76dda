// Encrypts password hashes with the server key, so that someone who has the database without the key cannot check a guess.
import type { KeyObject } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { normalizePassword } from '#contract/limits.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { listPasswords, replacePassword } from './accounts-queries.ts';

/** OWASP's second recommended argon2id configuration: 19 MiB, two passes. AUTH-20 */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The start of an unsealed hash of an earlier version. A sealed hash has no `$`. */
const plainStart = '$argon2';
/** Fits an argon2id hash of any cost, so that the size tells nothing. */
const paddedBytes = 128;

export interface PasswordHashing {
  /** @returns an argon2id hash, encrypted */
  hash(password: string): Promise<string>;
  /**
   * Does the same work whether or not there is a hash, so that the time does not tell.
   *
   * @param sealedHash a result of `hash`; null if there is no account or no password
   */
  verify(sealedHash: string | null, password: string): Promise<boolean>;
}

export function createPasswordHashing(key: KeyObject, cost = passwordCost): PasswordHashing {
  return {
    hash: async (password) => sealHash(key, await hash(normalizePassword(password), cost)),
    async verify(sealedHash, password) {
      const passwordHash = sealedHash && openHash(key, sealedHash);
      // An earlier version hashed passwords as they were typed.
      for (const form of new Set([normalizePassword(password), password])) {
        if (!passwordHash) await hash(form, cost);
        else if (await verify(passwordHash, form)) return true;
      }
      return false;
    },
  };
}

/** Encrypts the hashes that an earlier version stored. */
export async function sealPlainPasswords(
  db: Database,
  commits: CommitQueue,
  key: KeyObject,
): Promise<void> {
  if ((await listPasswords(db, plainStart)).length === 0) return;
  await commits.write(async (unitOfWork) => {
    for (const row of await listPasswords(unitOfWork.db, plainStart)) {
      await replacePassword(unitOfWork.db, row, sealHash(key, row.password));
    }
    unitOfWork.contentErased();
  }, 'allAccounts');
}

/**
 * Seals all password hashes again after a change of the server key.
 *
 * @param previousKey null if the key is lost. Then all passwords are deleted, and owners set new ones by mail
 */
export async function rekeyPasswords(
  tx: DatabaseTransaction,
  previousKey: KeyObject | null,
  key: KeyObject,
): Promise<void> {
  for (const row of await listPasswords(tx)) {
    const passwordHash = openHash(previousKey, row.password);
    await replacePassword(tx, row, passwordHash && sealHash(key, passwordHash));
  }
}

function sealHash(key: KeyObject, passwordHash: string): string {
  return seal(key, passwordHash, { padTo: paddedBytes });
}

/** @returns null if another key sealed the hash */
function openHash(key: KeyObject | null, sealedHash: string): string | null {
  if (sealedHash.startsWith(plainStart)) return sealedHash;
  try {
    return key && unseal(key, sealedHash).trimEnd();
  } catch {
    return null;
  }
}
