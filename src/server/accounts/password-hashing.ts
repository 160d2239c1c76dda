// Hashes passwords. The hashes are encrypted with the account: see account-records.ts.
import { hash, verify } from '@node-rs/argon2';
import { normalizePassword } from '#contract/limits.ts';

/** OWASP's second recommended argon2id configuration: 19 MiB, two passes. AUTH-20 */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordHashing {
  /** @returns an argon2id hash */
  hash(password: string): Promise<string>;
  /**
   * Does the same work whether or not there is a hash, so that the time does not tell.
   *
   * @param passwordHash a result of `hash`; null if there is no account or no password
   */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
}

export function createPasswordHashing(cost = passwordCost): PasswordHashing {
  return {
    hash: (password) => hash(normalizePassword(password), cost),
    async verify(passwordHash, password) {
      // An earlier version hashed passwords as they were typed.
      for (const form of new Set([normalizePassword(password), password])) {
        if (!passwordHash) await hash(form, cost);
        else if (await verify(passwordHash, form)) return true;
      }
      return false;
    },
  };
}
