// Connects the parts of accounts: sign-up and sign-in, passwords, sessions, devices, and accounts that no one uses.
import { availableParallelism } from 'node:os';
import { AppError } from '#contract/errors.ts';
import type { RateName } from '#server/base/rates.ts';
import { Accounts, type MoveAddress } from './accounts.ts';
import { alignMailboxKeys, type ResealSuspensions } from './align-mailbox-keys.ts';
import { createSessionCookie } from './cookies.ts';
import { createDevices } from './devices.ts';
import { createHashingQueue } from './hashing-queue.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import { createPasswords } from './passwords.ts';
import { createRecentSessions } from './recent-sessions.ts';
import { createPasswordHashing, type passwordCost } from './password-hashing.ts';
import { createResetLinks } from './reset-links.ts';
import type { ServerCore } from './server-core.ts';
import { createSessions } from './sessions.ts';
import { createSignInAttempts, type SharedSignInFailures } from './sign-in-attempts.ts';
import { createSignInGuard, type SignInGuard } from './sign-in-guard.ts';
import { createSignUpLinks } from './sign-up-links.ts';
import { recordVerificationSetting } from './unverified-accounts.ts';
import { UnusedAccounts, type DeleteUnused, type IsKept } from './unused-accounts.ts';

interface Options {
  /** The cost of argon2id. */
  passwordCost?: typeof passwordCost;
  /** Called when a limit rejects something. */
  onLimitHit(name: RateName): void;
  /** What other nodes count, if there are any. */
  sharedSignInFailures: SharedSignInFailures | undefined;
  /** Which of the account's sessions get push messages. */
  readNotified(accountId: string): Promise<ReadonlySet<string>>;
  isKept: IsKept;
  deleteAccount: DeleteUnused;
  resealSuspensions: ResealSuspensions;
  moveAddress: MoveAddress;
}

/** libuv's thread pool has four threads. Image processing and file access need at least one of them. */
const maxConcurrentHashes = availableParallelism() > 2 ? 3 : 2; // AUTH-45

export type ConnectedAccounts = Awaited<ReturnType<typeof connectAccounts>>;

export async function connectAccounts(server: ServerCore, options: Options) {
  const { config, db, accountCommits, keys, sessionRecords } = server;
  const isHttps = config.publicUrl.protocol === 'https:';
  const rules = {
    emailDomains: config.emailDomains,
    appName: config.appName,
    origin: config.publicUrl.origin,
    isVerificationRequired: config.emailVerification === 'required',
  };
  const unusedAccounts = new UnusedAccounts(server, options.isKept, options.deleteAccount);
  const cookie = createSessionCookie(keys.cookies, isHttps);
  const sessions = createSessions(db, accountCommits, sessionRecords, cookie);
  // Changes stored accounts as the settings and the server key of this start demand.
  await recordVerificationSetting(server, rules.isVerificationRequired);
  await alignMailboxKeys(server, options.resealSuspensions);
  const signUpLinks = createSignUpLinks(keys);
  const resetLinks = createResetLinks(keys.resetLinks, server.epoch);
  const hashing = createPasswordHashing(options.passwordCost);
  const hashingQueue = createHashingQueue(maxConcurrentHashes);
  const accounts = new Accounts(server, {
    sessions,
    hashing,
    hashingQueue,
    links: signUpLinks,
    rules,
    moveAddress: options.moveAddress,
    unusedAccounts,
  });
  return {
    sessions,
    accounts,
    passwords: createPasswords(server, resetLinks, hashing, hashingQueue),
    resetLinks,
    devices: createDevices(db, sessionRecords, options.readNotified),
    signInGuard: connectSignInGuard(server, options, isHttps),
    signUpLinks,
    unusedAccounts,
    rules,
    recentSessions: createRecentSessions(),
    /** @throws {AppError} PASSWORDS_OFF */
    checkPasswordsAllowed() {
      if (config.passwordSignIn === 'off') throw new AppError('PASSWORDS_OFF');
    },
  };
}

function connectSignInGuard(
  { config, keys, mailboxes, limiter }: ServerCore,
  { onLimitHit, sharedSignInFailures }: Options,
  isHttps: boolean,
): SignInGuard {
  const attempts = createSignInAttempts(
    config.rates,
    limiter,
    undefined,
    onLimitHit,
    sharedSignInFailures,
  );
  return createSignInGuard(
    attempts,
    limiter,
    createKnownBrowsers(isHttps, keys.browsers),
    mailboxes,
  );
}
