// Guards every call that checks a password: counts the attempt, sets its priority and recognizes known
// browsers.
import { AppError, type ErrorCode } from '#contract/errors.ts';
import type { Network } from '#server/base/client-addresses.ts';
import type { Limiter } from '#server/base/limiter.ts';
import type { SignInAttempts, StartedAttempt } from './sign-in-attempts.ts';
import type { Account } from '#server/http/caller.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { Requester } from './hashing-queue.ts';

export interface SignInGuard {
  /**
   * Runs `check` with the requester and its priority, and counts whether the password was right.
   *
   * @throws {AppError} TOO_MANY, and every error of `check`
   */
  attempt<Result>(
    email: string,
    headers: Headers,
    networks: Networks,
    check: (requester: Requester) => Promise<Result>,
  ): Promise<Result>;
  /** Does what `attempt` does, for a signed-in account. Only attempts of this session count. */
  attemptSignedIn<Result>(
    account: Account,
    check: (requester: Requester) => Promise<Result>,
  ): Promise<Result>;
  isKnown(email: string, headers: Headers): boolean;
  /** Returns a cookie that identifies the browser at the next sign-in. */
  remember(email: string, headers: Headers): string;
}

const wrongPasswordCodes: ReadonlySet<ErrorCode> = new Set(['WRONG_CREDENTIALS', 'WRONG_PASSWORD']);

/** The limit regains one attempt in this time. */
const refillMs = 30_000;

type Networks = readonly [Network, ...Network[]];

export function createSignInGuard(
  attempts: SignInAttempts,
  limiter: Limiter,
  browsers: KnownBrowsers,
  mailboxes: Mailboxes,
): SignInGuard {
  const findKnownId = (email: string, headers: Headers) =>
    browsers.find(headers.get('cookie'), mailboxes.toKey(email));

  /**
   * Checks the limit of right passwords (LIMIT-50). Wrong passwords of strangers do not count, so they cannot use up the owner's
   * limit.
   */
  function checkLimit(account: string): void {
    if (limiter.isExhausted('rightPasswords', account)) {
      throw new AppError('TOO_MANY', undefined, refillMs);
    }
  }

  async function countOutcome<Result>(
    account: string,
    attempt: StartedAttempt,
    checkResult: Promise<Result>,
  ) {
    try {
      const result = await checkResult;
      limiter.tryTake('rightPasswords', account);
      attempt.succeed();
      return result;
    } catch (error) {
      if (error instanceof AppError && wrongPasswordCodes.has(error.code)) attempt.fail();
      throw error;
    }
  }

  return {
    async attempt(email, headers, networks, check) {
      const knownId = findKnownId(email, headers);
      const account = mailboxes.toKey(email);
      const startedAttempt = attempts.begin({ account, networks, knownId });
      const unknownPriority = startedAttempt.isSuspect ? 'low' : 'normal';
      const requester: Requester = {
        network: networks[0].key,
        networks,
        account,
        priority: knownId ? 'high' : unknownPriority,
        checkLimit: () => checkLimit(account),
      };
      return countOutcome(account, startedAttempt, check(requester));
    },
    async attemptSignedIn({ id, sessionId }, check) {
      const attempt = attempts.begin({ account: id, networks: [], knownId: sessionId });
      const requester: Requester = {
        network: id,
        account: id,
        priority: 'high',
        checkLimit: () => checkLimit(id),
      };
      return countOutcome(id, attempt, check(requester));
    },
    isKnown: (email, headers) => findKnownId(email, headers) !== null,
    remember: (email, headers) => browsers.remember(headers.get('cookie'), mailboxes.toKey(email)),
  };
}
