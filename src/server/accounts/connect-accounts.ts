// Connects the parts of accounts: sign-up and sign-in, passwords, sessions, devices, and accounts that no one uses.
import { availableParallelism } from 'node:os';
import { AppError } from '#contract/errors.ts';
import type { ClientAddresses } from '#server/base/client-addresses.ts';
import { takeForMailbox, type Limiter } from '#server/base/limiter.ts';
import type { Log } from '#server/base/log.ts';
import type { RateName } from '#server/base/rates.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import type { MailQueue } from '#server/mail/mail-queue.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { createOldAddressMail } from './account-mails.ts';
import { Accounts } from './accounts.ts';
import type { AccountRecords } from './account-records.ts';
import { alignMailboxKeys } from './align-mailbox-keys.ts';
import type { BlockedAddresses } from './blocked-addresses.ts';
import { createDevices } from './devices.ts';
import { createHashingQueue } from './hashing-queue.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import type { LimitedMails } from './limited-mails.ts';
import type { Mailboxes } from './mailboxes.ts';
import { createPasswords } from './passwords.ts';
import { createRecentSessions } from './recent-sessions.ts';
import { createPasswordHashing, type passwordCost } from './password-hashing.ts';
import { createResetLinks } from './reset-links.ts';
import type { SessionRecords } from './session-records.ts';
import { createSessions } from './sessions.ts';
import { createSignInAttempts, type SharedSignInFailures } from './sign-in-attempts.ts';
import { createSignInGuard, type SignInGuard } from './sign-in-guard.ts';
import { createSignUpLinks } from './sign-up-links.ts';
import { recordVerificationSetting } from './unverified-accounts.ts';
import { UnusedAccounts, type FoundAccount } from './unused-accounts.ts';

interface Options {
  config: Config;
  db: Database;
  epoch: string;
  accountCommits: CommitQueue;
  keys: ServerKeys;
  keyCheck: string;
  mailboxes: Mailboxes;
  accountRecords: AccountRecords;
  sessionRecords: SessionRecords;
  mails: MailQueue;
  limitedMails: LimitedMails;
  blockedAddresses: Pick<BlockedAddresses, 'check' | 'isBlocked'>;
  limiter: Limiter;
  addresses: ClientAddresses;
  log: Log;
  /** The cost of argon2id. */
  passwordCost?: typeof passwordCost;
  /** Called when a limit rejects something. */
  onLimitHit(name: RateName): void;
  /** What other nodes count, if there are any. */
  sharedSignInFailures: SharedSignInFailures | undefined;
  /** Which of the account's sessions get push messages. */
  readNotified(accountId: string): Promise<ReadonlySet<string>>;
  /** Whether the account stays although no one uses it. */
  isKept(db: Database, account: FoundAccount): Promise<boolean>;
  deleteAccount(account: FoundAccount, isDue: (db: Database) => Promise<boolean>): Promise<void>;
  /** Adapts the suspensions, which find accounts by their mailboxes, too. */
  resealSuspensions(
    db: DatabaseTransaction,
    accounts: readonly { id: string; email: string }[],
  ): Promise<void>;
  moveAddress(
    unitOfWork: UnitOfWork,
    move: { from: string; to: string },
    mails: readonly Mail[],
  ): Promise<void>;
}

/** libuv's thread pool has four threads. Image processing and file access need at least one of them. */
const maxConcurrentHashes = availableParallelism() > 2 ? 3 : 2; // AUTH-45

export type ConnectedAccounts = Awaited<ReturnType<typeof connectAccounts>>;

export async function connectAccounts(options: Options) {
  const { config, db, accountCommits, keys, mailboxes, limitedMails } = options;
  const { accountRecords, sessionRecords, blockedAddresses } = options;
  const isHttps = config.publicUrl.protocol === 'https:';
  const rules = {
    emailDomains: config.emailDomains,
    appName: config.appName,
    origin: config.publicUrl.origin,
    isVerificationRequired: config.emailVerification === 'required',
  };
  const unusedAccounts = new UnusedAccounts({
    ...options,
    commits: accountCommits,
    months: config.unusedAccountMonths,
    settings: rules,
  });
  const sessions = createSessions({
    ...options,
    commits: accountCommits,
    cookieSecret: keys.cookies,
    isHttps,
  });
  await updateStoredAccounts(options, rules.isVerificationRequired);
  const signUpLinks = createSignUpLinks(keys);
  const resetLinks = createResetLinks(keys.resetLinks, options.epoch);
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
      const mailbox = options.addresses.hashEmail(mailboxes.toMailbox(email));
      takeForMailbox(options.limiter, 'signUpMails', mailbox, networks);
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
    devices: createDevices({ db, sessionRecords, readNotified: options.readNotified }),
    signInGuard: connectSignInGuard(options, isHttps),
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

/** Changes stored accounts as the settings and the server key of this start demand. */
async function updateStoredAccounts(
  options: Options,
  isVerificationRequired: boolean,
): Promise<void> {
  const { db, accountCommits } = options;
  await recordVerificationSetting({ db, commits: accountCommits }, isVerificationRequired);
  const { mailboxes: rules } = options.config;
  await alignMailboxKeys({ ...options, rules, commits: accountCommits });
}

function connectSignInGuard(options: Options, isHttps: boolean): SignInGuard {
  const { config, keys, mailboxes, limiter, onLimitHit, sharedSignInFailures } = options;
  return createSignInGuard({
    attempts: createSignInAttempts(
      config.rates,
      limiter,
      undefined,
      onLimitHit,
      sharedSignInFailures,
    ),
    limiter,
    browsers: createKnownBrowsers(isHttps, keys.browsers),
    mailboxes,
  });
}
