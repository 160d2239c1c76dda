// Password reset by a mailed link, password change, and password checks before sensitive actions.
import { randomBytes, type KeyObject } from 'node:crypto';
import { isMailable } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';
import type { EnqueuePublicMail } from '../mail/mail-queue.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  findAccount,
  findLink,
  findPassword,
  insertLink,
  markVerified,
  setPassword,
  takeLink,
  revokeLinks,
} from './accounts-queries.ts';
import { deleteSessions } from './sessions-queries.ts';
import { createNoAccountMail, createResetMail } from './account-mails.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';
import { checkNewPassword } from './password-rules.ts';
import type { HashingQueue, Requester } from './hashing-queue.ts';
import type { PasswordHashing } from './sealed-passwords.ts';

export interface Passwords {
  /**
   * Mails a link to set a password. It does the same work for known and unknown addresses, so only the owner of the mailbox sees
   * a difference.
   *
   * @param network null for a browser that the account knows
   */
  requestReset(email: string, network: string | null): Promise<void>;
  /**
   * Sets the password and ends every session of the account. The link proves access to the mailbox, so the address is marked as
   * verified.
   *
   * @throws {AppError} INVALID_LINK, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  reset(token: string, newPassword: string, requester: Requester): Promise<{ email: string }>;
  /**
   * Changes the password and ends every other session.
   *
   * @throws {AppError} WRONG_PASSWORD, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  change(
    commits: CallCommits,
    account: Account,
    currentPassword: string,
    newPassword: string,
    requester: Requester,
  ): Promise<void>;
  /** @throws {AppError} WRONG_PASSWORD, TOO_MANY */
  check(account: Pick<Account, 'id'>, password: string, requester: Requester): Promise<void>;
}

interface Dependencies {
  db: Database;
  hashing: PasswordHashing;
  timesKey: KeyObject;
  /** The queue for resets, which have a mailed link and no session. */
  commits: Commits;
  hashingQueue: HashingQueue;
  rules: { appName: string; origin: string; isVerificationRequired: boolean };
  toMailboxKey(email: string): string;
  enqueueMail: EnqueuePublicMail;
  /** Queues a mail for a browser that the account knows. */
  enqueueMailOfKnown: EnqueuePublicMail;
}

/**
 * A link is valid for one to two hours. Its expiry is rounded up to a full hour, so that the row does not reveal when the owner
 * requested the link.
 */
const linkMs = 3_600_000;

/** Creates a link to set a password, which the caller stores and mails. */
export function createResetLink() {
  const token = randomBytes(24).toString('base64url');
  const expiresAt = Math.ceil(Date.now() / linkMs + 1) * linkMs;
  return { token, expiresAt };
}

export function createPasswords(dependencies: Dependencies): Passwords {
  const { db, hashing, timesKey, hashingQueue, toMailboxKey } = dependencies;
  const { appName, origin, isVerificationRequired } = dependencies.rules;

  /**
   * Sets the password and ends the sessions in one commit, so that a crash cannot separate the two changes.
   *
   * @param linkId the mailed link that authorizes the change, and that the commit deletes
   * @throws {AppError} INVALID_LINK if another request has already used the link
   */
  async function setAndEndSessions(
    commits: Commits,
    accountId: string,
    newPassword: string,
    sessions: { except: string } | 'all',
    linkId?: string,
  ): Promise<void> {
    const hash = await hashing.hash(newPassword);
    await commits.write(
      async (unitOfWork) => {
        if (linkId !== undefined) {
          if (!(await takeLink(unitOfWork.db, linkId))) throw new AppError('INVALID_LINK');
          await markVerified(unitOfWork.db, accountId);
        }
        await setPassword(unitOfWork.db, accountId, hash);
        await revokeLinks(unitOfWork.db, accountId);
        await deleteSessions(unitOfWork, accountId, sessions);
      },
      { accountId },
    );
  }

  async function check(accountId: string, password: string): Promise<void> {
    const storedPassword = await findPassword(db, accountId);
    if (!(await hashing.verify(storedPassword, password))) throw new AppError('WRONG_PASSWORD');
  }

  return {
    async requestReset(email, network) {
      const account = await findAccount(db, { email, mailboxKey: toMailboxKey(email) });
      const { token, expiresAt } = createResetLink();
      const link = { token, accountId: account?.id ?? '', expiresAt };
      await dependencies.commits.write(
        ({ db: tx }) => insertLink(tx, timesKey, link),
        'independent',
      );
      const mail =
        account || !isVerificationRequired
          ? createResetMail(account?.email ?? email, appName, origin, token)
          : createNoAccountMail(email, appName, origin);
      const enqueue = network === null ? dependencies.enqueueMailOfKnown : dependencies.enqueueMail;
      // Mail to an address that no account can have could reach a foreign mail server. AUTH-65
      const isInvited = isVerificationRequired && isMailable(email);
      await enqueue(network, mail, expiresAt, account !== null || isInvited);
    },
    reset: (token, newPassword, requester) =>
      hashingQueue.run(requester, async () => {
        // A rejected password must not use up the link, so the link is only read here.
        const link = await findLink(db, timesKey, token);
        if (!link) throw new AppError('INVALID_LINK');
        const { linkId, accountId, email } = link;
        checkNewPassword(newPassword, email, appName);
        await setAndEndSessions(dependencies.commits, accountId, newPassword, 'all', linkId);
        return { email };
      }),
    change: (commits, account, currentPassword, newPassword, requester) =>
      hashingQueue.run(requester, async () => {
        checkNewPassword(newPassword, account.email, appName);
        await check(account.id, currentPassword);
        const otherSessions = { except: account.sessionId };
        await setAndEndSessions(commits, account.id, newPassword, otherSessions);
      }),
    check: (account, password, requester) =>
      hashingQueue.run(requester, () => check(account.id, password)),
  };
}
