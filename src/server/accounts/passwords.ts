// Setting a password anew, by a mailed link or by the old one, and asking for it where much is at stake.
import { randomBytes } from 'node:crypto';
import { Refusal } from '#contract/errors.ts';
import type { Mail } from '../mail/mail.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Reader } from '../storage/database.ts';
import { findAccount, setPassword, withdrawLinks } from '../storage/queries/accounts.ts';
import { deleteSessions } from '../storage/queries/sessions.ts';
import { noAccountMail, resetMail } from './account-mails.ts';
import type { Account } from './accounts.ts';
import type { Auth } from './auth.ts';
import { checkNewPassword } from './password-rules.ts';
import type { PasswordWork, Turn } from './password-work.ts';

export interface Passwords {
  /** The same work for known and unknown addresses; only who has the mailbox sees a difference. */
  requestReset(email: string): Promise<void>;
  /**
   * Ends every session of the account. Whoever followed the link has the mailbox: the address is verified.
   *
   * @throws {Refusal} INVALID_LINK, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  reset(token: string, newPassword: string, turn: Turn): Promise<{ email: string }>;
  /**
   * Ends every other session.
   *
   * @throws {Refusal} WRONG_PASSWORD, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  change(account: Account, currentPassword: string, newPassword: string, turn: Turn): Promise<void>;
  /** @throws {Refusal} WRONG_PASSWORD, TOO_MANY */
  check(account: Account, password: string, turn: Turn): Promise<void>;
}

interface Parts {
  auth: Auth;
  db: Reader;
  commits: CommitQueue;
  work: PasswordWork;
  rules: { appName: string; origin: string; verify: boolean };
  mailboxKeyOf(email: string): string;
  postMail(mail: Mail): void;
  onSessionEnded(accountId: string, sessionId: string): void;
}

/** An hour at least, and up to the next full one: the row names an account, and shall not say when. */
const linkMs = 3_600_000;

export async function createPasswords(parts: Parts): Promise<Passwords> {
  const { db, commits, work, mailboxKeyOf, postMail, onSessionEnded } = parts;
  const { appName, origin, verify } = parts.rules;
  const { internalAdapter, password: hashing } = await parts.auth.$context;

  /** One commit: a server that dies has set the password and ended the sessions, or neither. */
  async function setAndEndSessions(
    accountId: string,
    newPassword: string,
    which: { but: string } | 'all',
  ): Promise<void> {
    const hash = await hashing.hash(newPassword);
    const ended = await commits.write(async (write) => {
      await setPassword(write.db, accountId, hash);
      await withdrawLinks(write.db, accountId);
      return deleteSessions(write.db, accountId, which);
    });
    for (const sessionId of ended) onSessionEnded(accountId, sessionId);
  }

  async function check(accountId: string, password: string): Promise<void> {
    const credential = await internalAdapter.findCredentialAccount(accountId);
    const hash = credential?.password;
    if (!hash || !(await hashing.verify({ hash, password }))) throw new Refusal('WRONG_PASSWORD');
  }

  return {
    async requestReset(email) {
      const found = await findAccount(db, { email, mailboxKey: mailboxKeyOf(email) });
      const token = randomBytes(24).toString('base64url');
      // Also clears away what has expired.
      await internalAdapter.findVerificationValue(identifierOf(token));
      await internalAdapter.createVerificationValue({
        identifier: identifierOf(token),
        value: found?.id ?? '',
        expiresAt: new Date(Math.ceil(Date.now() / linkMs + 1) * linkMs),
      });
      if (found) postMail(resetMail(found.email, appName, origin, token));
      else if (verify) postMail(noAccountMail(email, appName, origin));
    },
    reset: (token, newPassword, turn) =>
      work.run(turn, async () => {
        // What is wrong with the password must not use up the link.
        const link = await internalAdapter.findVerificationValue(identifierOf(token));
        const account = link && (await internalAdapter.findUserById(link.value));
        if (!account) throw new Refusal('INVALID_LINK');
        checkNewPassword(newPassword, account.email, appName);
        const used = await internalAdapter.consumeVerificationValue(identifierOf(token));
        if (!used) throw new Refusal('INVALID_LINK');
        if (!account.emailVerified) {
          await internalAdapter.updateUser(account.id, { emailVerified: true });
        }
        await setAndEndSessions(account.id, newPassword, 'all');
        return { email: account.email };
      }),
    change: (account, currentPassword, newPassword, turn) =>
      work.run(turn, async () => {
        checkNewPassword(newPassword, account.email, appName);
        await check(account.id, currentPassword);
        await setAndEndSessions(account.id, newPassword, { but: account.sessionId });
      }),
    check: (account, password, turn) => work.run(turn, () => check(account.id, password)),
  };
}

function identifierOf(token: string): string {
  return `reset-password:${token}`;
}
