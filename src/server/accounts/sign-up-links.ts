// A sign-up whose address is not verified yet: all of it travels in the mailed link, and no row is kept.
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

/** Each sign-up has its own link with its own password: nobody else's sign-up changes it. */
export interface PendingSignUp {
  email: string;
  /** Made by argon2id. */
  passwordHash: string;
}

export interface SignUpLinks {
  /** The token of a link that is good for a day. */
  seal(signUp: PendingSignUp): string;
  /** Null for a token that is forged or too old. */
  open(token: string): PendingSignUp | null;
}

/** How long a link is good. */
export const signUpLinkMs = 86_400_000; // AUTH-53
const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

export function createSignUpLinks(key: KeyObject): SignUpLinks {
  return {
    seal(signUp) {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, key, iv);
      const text = JSON.stringify({ ...signUp, expiresAt: Date.now() + signUpLinkMs });
      const sealed = [sealing.update(text, 'utf8'), sealing.final()];
      return Buffer.concat([iv, ...sealed, sealing.getAuthTag()]).toString('base64url');
    },
    open(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length <= ivBytes + tagBytes || bytes.toString('base64url') !== token) return null;
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes));
      opening.setAuthTag(bytes.subarray(-tagBytes));
      const text = opening.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8');
      try {
        const { email, passwordHash, expiresAt } = JSON.parse(
          text + opening.final('utf8'),
        ) as PendingSignUp & { expiresAt: number };
        return expiresAt > Date.now() ? { email, passwordHash } : null;
      } catch {
        return null;
      }
    },
  };
}
