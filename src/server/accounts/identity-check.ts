// Confirms that the owner of the account makes a call that cannot be undone. The owner enters the password, or signs in again
// at the university's provider.
import { AppError } from '#contract/errors.ts';
import type { Account } from '#server/http/caller.ts';
import type { ConnectedAccounts } from './connect-accounts.ts';

/**
 * @param password empty if the sign-in confirms the call
 * @throws {AppError} WRONG_PASSWORD, SIGN_IN_AGAIN, TOO_MANY
 */
export type CheckIdentity = (account: Account, password: string, headers: Headers) => Promise<void>;

/** @param signOn tells whether the account has just signed in at the university's provider */
export function createIdentityCheck(
  { passwords, signInGuard }: Pick<ConnectedAccounts, 'passwords' | 'signInGuard'>,
  signOn: { isFresh(account: Account, headers: Headers): boolean } | null,
  passwordSignIn: 'on' | 'off',
): CheckIdentity {
  return async (account, password, headers) => {
    if (signOn && (password === '' || passwordSignIn === 'off')) {
      if (signOn.isFresh(account, headers)) return;
      throw new AppError('SIGN_IN_AGAIN');
    }
    if (password === '') throw new AppError('PASSWORD_REQUIRED');
    // Limits guesses by a person who finds a signed-in browser, as the sign-in does (LIMIT-3).
    await signInGuard.attemptSignedIn(account, (requester) =>
      passwords.check(account, password, requester),
    );
  };
}
