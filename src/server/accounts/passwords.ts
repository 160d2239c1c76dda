// Password reset by a mailed link, password change, and password checks before sensitive actions.
import { isMailable } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import { createNoAccountMail, createResetMail } from './account-mails.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';
import { checkNewPassword } from './password-rules.ts';
import type { HashingQueue, Requester } from './hashing-queue.ts';
import type { PasswordHashing } from './password-hashing.ts';
import type { ResetLinks } from './reset-links.ts';
import type { ServerCore } from './server-core.ts';
import { toRecipient } from '#server/mail/recipient.ts';

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

export function createPasswords(
  server: ServerCore,
  resetLinks: ResetLinks,
  hashing: PasswordHashing,
  hashingQueue: HashingQueue,
): Passwords {
  const { config, db, accountRecords, sessionRecords, blockedAddresses, limitedMails } = server;
  const { appName, publicUrl } = config;
  const { origin } = publicUrl;
  const isVerificationRequired = config.emailVerification === 'required';
  const enqueueMail = limitedMails.createMailer('reset');
  const enqueueMailOfKnown = limitedMails.createMailer('reset of a known browser');

  /**
   * Sets the password and ends the sessions in one commit, so that a crash cannot separate the two changes.
   *
   * @param token the mailed link that authorizes the change, and that it ends
   * @throws {AppError} INVALID_LINK if another request has already used the link
   */
  async function setAndEndSessions(
    commits: Commits,
    accountId: string,
    newPassword: string,
    sessions: { except: string } | 'all',
    token?: string,
  ): Promise<void> {
    const passwordHash = await hashing.hash(newPassword);
    await commits.write(
      async (unitOfWork) => {
        await accountRecords.change(unitOfWork.db, accountId, (account) => {
          if (token === undefined) return { passwordHash };
          if (!resetLinks.isFor(account, token)) throw new AppError('INVALID_LINK');
          return { passwordHash, emailVerified: true };
        });
        await sessionRecords.end(unitOfWork, accountId, sessions);
      },
      { accountId },
    );
  }

  async function check(accountId: string, password: string): Promise<void> {
    const account = await accountRecords.findById(db, accountId);
    const isRight = await hashing.verify(account?.passwordHash ?? null, password);
    if (!isRight) throw new AppError('WRONG_PASSWORD');
  }

  return {
    async requestReset(email, network) {
      const account = await accountRecords.find(db, email);
      const { token, expiresAt } = resetLinks.create(account);
      const recipient = toRecipient(account?.email ?? email, account, config);
      const mail =
        account || !isVerificationRequired
          ? createResetMail(recipient, appName, origin, token)
          : createNoAccountMail(recipient, appName, origin);
      const enqueue = network === null ? enqueueMailOfKnown : enqueueMail;
      // Mail to an address that no account can have could reach a foreign mail server. AUTH-65
      const isInvited = isVerificationRequired && isMailable(email);
      await enqueue(network, mail, expiresAt, account !== null || isInvited);
    },
    reset: (token, newPassword, requester) =>
      hashingQueue.run(requester, async () => {
        // A rejected password must not use up the link, so the link is only read here.
        const account = await accountRecords.findById(db, resetLinks.findAccountId(token) ?? '');
        if (!account || !resetLinks.isFor(account, token)) throw new AppError('INVALID_LINK');
        const { id, email } = account;
        if (await blockedAddresses.isBlocked(db, email)) throw new AppError('INVALID_LINK');
        checkNewPassword(newPassword, email, appName);
        // A reset has a mailed link and no session.
        await setAndEndSessions(server.accountCommits, id, newPassword, 'all', token);
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
