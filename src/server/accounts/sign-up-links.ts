// A sign-up whose address is not verified yet: all of it travels in the mailed link, and no row is kept.
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from '../seal.ts';

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

export function createSignUpLinks(key: KeyObject): SignUpLinks {
  return {
    seal: (signUp) =>
      seal(key, JSON.stringify({ ...signUp, expiresAt: Date.now() + signUpLinkMs })),
    open(token) {
      try {
        const { email, passwordHash, expiresAt } = JSON.parse(
          unseal(key, token),
        ) as PendingSignUp & { expiresAt: number };
        return expiresAt > Date.now() ? { email, passwordHash } : null;
      } catch {
        return null;
      }
    },
  };
}
