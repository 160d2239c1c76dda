// Seals a sign-up into its mailed link. The server stores nothing of it before the address is verified.
import type { ServerKeys } from '#server/base/server-keys.ts';
import { seal, unseal } from '#server/base/seal.ts';

/**
 * The content of a mailed link. Each sign-up has a separate link and password, so another sign-up for the same address cannot
 * change it.
 */
export interface PendingSignUp {
  email: string;
  /** The hash, as the account will store it. */
  passwordHash: string;
  /** The old address of an account to which an operator gives the address `email`, if its owner confirms it (ADMIN-50). */
  movesFrom?: string;
}

export interface SignUpLinks {
  /** Returns a link token that is valid for one day. */
  seal(signUp: PendingSignUp): string;
  /** Returns null if the token is forged or expired. */
  open(token: string): PendingSignUp | null;
}

/** How long a link is valid. */
export const signUpLinkMs = 86_400_000; // AUTH-15

const context = 'sign-up';

export function createSignUpLinks({
  signUpLinks: key,
}: Pick<ServerKeys, 'signUpLinks'>): SignUpLinks {
  return {
    seal(signUp) {
      const content = { ...signUp, expiresAt: Date.now() + signUpLinkMs };
      return seal(key, JSON.stringify(content), { context });
    },
    open(token) {
      try {
        const { expiresAt, ...signUp } = JSON.parse(
          unseal(key, token, context),
        ) as PendingSignUp & {
          expiresAt: number;
        };
        return expiresAt > Date.now() ? signUp : null;
      } catch {
        return null;
      }
    },
  };
}
