// Connects the parts of accounts: sign-up and sign-in, passwords, sessions, devices, and accounts that no one uses.
import { availableParallelism } from 'node:os';
import { AppError } from '#contract/errors.ts';
import { takeForMailbox } from '#server/base/limiter.ts';
import type { RateName } from '#server/base/rates.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { createOldAddressMail } from './account-mails.ts';
import { Accounts } from './accounts.ts';
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
  moveAddress(
    unitOfWork: UnitOfWork,
    move: { from: string; to: string },
    mails: readonly Mail[],
  ): Promise<void>;
}

/** libuv's thread pool has four threads. Image processing and file access need at least one of them. */
const maxConcurrentHashes = availableParallelism() > 2 ? 3 : 2; // AUTH-45

export type ConnectedAccounts = Awaited<ReturnType<typeof connectAccounts>>;

export async function connectAccounts(server: ServerCore, options: Options) {
  const { config, db, accountCommits, keys, mailboxes, limitedMails } = server;
  const { accountRecords, sessionRecords, blockedAddresses } = server;
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
  const sharedDependencies = {
    db,
    commits: accountCommits,
    accountRecords,
    sessionRecords,
    hashing: createPasswordHashing(options.passwordCost),
    hashingQueue: createHashingQueue(maxConcurrentHashes),
    rules,
  };
  const accounts = new Accounts({
    ...sharedDependencies,
    sessions,
    links: signUpLinks,
    checkMaySendLink(email, networks) {
      const mailbox = server.addresses.hashEmail(mailboxes.toMailbox(email));
      takeForMailbox(server.limiter, 'signUpMails', mailbox, networks);
    },
    moveAddress: (unitOfWork, from, to) =>
      options.moveAddress(unitOfWork, { from, to }, [
        createOldAddressMail(from, config.appName, config.supportContact),
      ]),
    checkNotBlocked: (reader, email) => blockedAddresses.check(reader, email),
    enqueueMail: limitedMails.createMailer('sign-up'),
    onSessionUsed: (accountId) => unusedAccounts.recordUse(accountId),
  });
  const passwords = createPasswords({
    ...sharedDependencies,
    resetLinks,
    isBlocked: (reader, email) => blockedAddresses.isBlocked(reader, email),
    enqueueMail: limitedMails.createMailer('reset'),
    enqueueMailOfKnown: limitedMails.createMailer('reset of a known browser'),
  });
  return {
    sessions,
    accounts,
    passwords,
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
