// Guards every call that checks a password: counts the attempt, sets its priority and recognizes known
// browsers.
import { AppError, type ErrorCode } from '#contract/errors.ts';
import type { Network } from '../limits/client-addresses.ts';
import type { SignInAttempts, StartedAttempt } from '../limits/sign-in-attempts.ts';
import type { Account } from './accounts.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { Requester } from './hashing-queue.ts';

export interface SignInGuard {
  /**
   * Counts the outcome of `check`, and passes it the requester with its priority.
   *
   * @throws {AppError} TOO_MANY, and every error of `check`
   */
  attempt<Result>(
    email: string,
    headers: Headers,
    networks: Networks,
    check: (requester: Requester) => Promise<Result>,
  ): Promise<Result>;
  /** Like `attempt` for a signed-in account: only attempts of this session count. */
  attemptSignedIn<Result>(
    account: Account,
    check: (requester: Requester) => Promise<Result>,
  ): Promise<Result>;
  isKnown(email: string, headers: Headers): boolean;
  /** Returns a cookie that identifies the browser at the next sign-in. */
  remember(email: string, headers: Headers): string;
}

const wrongPassword: ReadonlySet<ErrorCode> = new Set(['WRONG_CREDENTIALS', 'WRONG_PASSWORD']);

type Networks = readonly [Network, ...Network[]];

interface Parts {
  attempts: SignInAttempts;
  browsers: KnownBrowsers;
  mailboxes: Mailboxes;
}

export function createSignInGuard({ attempts, browsers, mailboxes }: Parts): SignInGuard {
  const find = (email: string, headers: Headers) =>
    browsers.find(headers.get('cookie'), mailboxes.keyOf(email));

  async function countOutcome<Result>(started: StartedAttempt, checking: Promise<Result>) {
    try {
      const result = await checking;
      started.succeed();
      return result;
    } catch (error) {
      if (error instanceof AppError && wrongPassword.has(error.code)) started.fail();
      throw error;
    }
  }

  return {
    async attempt(email, headers, networks, check) {
      const knownId = find(email, headers);
      const started = attempts.begin({ account: mailboxes.keyOf(email), networks, knownId });
      const priority = knownId ? 'high' : started.isSuspect ? 'low' : 'normal';
      return countOutcome(started, check({ network: networks[0].key, priority }));
    },
    async attemptSignedIn({ id, sessionId }, check) {
      const started = attempts.begin({ account: id, networks: [], knownId: sessionId });
      return countOutcome(started, check({ network: id, priority: 'high' }));
    },
    isKnown: (email, headers) => find(email, headers) !== null,
    remember: (email, headers) => browsers.remember(headers.get('cookie'), mailboxes.keyOf(email)),
  };
}
