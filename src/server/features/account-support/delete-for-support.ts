// Deletes an account when its owner asks an operator for it, with or without its messages.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findAccount, type Address, type FoundAccount } from '#server/accounts/accounts-queries.ts';
import { createAccountDeletedMail } from '#server/accounts/account-mails.ts';

export interface SupportDeletionDependencies {
  db: Database;
  roles: Pick<Roles, 'listHeld'>;
  toAddress(email: string): Address;
  mailKey: KeyObject;
  settings: { appName: string; contact: string | null };
  deleteAccount(account: FoundAccount, how: SupportDeletion): Promise<void>;
}

interface SupportDeletion {
  keepMessages: boolean;
  removalWindowMs: number;
  isDue(db: Database): Promise<boolean>;
  /** Called in the commit of the deletion. */
  onDeleted(unitOfWork: UnitOfWork): Promise<void>;
}

/** An operator chooses the moment, and could compare counts and messages before and after it. ADMIN-53 */
const removalWindowMs = 30 * 24 * 60 * 60_000;

/** What an operator chooses. */
export interface DeletionChoice {
  /** The account's own spelling: with it, the operator confirms which account goes. */
  email: string;
  /** False if the owner asks for it: the messages then go from each class at another time. */
  keepMessages: boolean;
}

/**
 * @param authorize called in the commit; returns the operator's name in the audit log
 * @throws {AppError} NO_SUCH_ACCOUNT, OPERATOR_ACCOUNT
 */
export async function deleteForSupport(
  dependencies: SupportDeletionDependencies,
  { email, keepMessages }: DeletionChoice,
  authorize: (db: Database) => Promise<string>,
): Promise<void> {
  const { toAddress, mailKey, settings } = dependencies;

  async function getDeletableAccount(db: Database): Promise<FoundAccount> {
    const account = await findAccount(db, toAddress(email));
    if (account?.email !== email.toLowerCase()) throw new AppError('NO_SUCH_ACCOUNT');
    const heldRoles = await dependencies.roles.listHeld(db, account);
    if (heldRoles.some(({ role }) => role === 'operator')) throw new AppError('OPERATOR_ACCOUNT');
    return account;
  }

  await authorize(dependencies.db);
  const account = await getDeletableAccount(dependencies.db);
  await dependencies.deleteAccount(account, {
    keepMessages,
    removalWindowMs,
    async isDue(db) {
      // Its owner can delete it and sign up again meanwhile.
      if ((await getDeletableAccount(db)).id !== account.id) throw new AppError('NO_SUCH_ACCOUNT');
      return true;
    },
    async onDeleted(unitOfWork) {
      const staffName = await authorize(unitOfWork.db);
      await appendAudit(unitOfWork, { staffName, act: 'delete-account', reason: '' });
      const mail = createAccountDeletedMail(account.email, { ...settings, keepMessages });
      await insertMail(unitOfWork.db, mailKey, mail);
    },
  });
}
