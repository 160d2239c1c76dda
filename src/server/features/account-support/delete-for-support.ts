// Deletes an account when its owner asks an operator for it, with or without its messages.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { Roles, StaffAccount } from '#server/chat/staff/roles.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { AccountRecord, AccountRecords } from '#server/accounts/account-records.ts';
import { parseBlockReason, type BlockedAddresses } from '#server/accounts/blocked-addresses.ts';
import { createAccountDeletedMail } from '#server/accounts/account-mails.ts';

export interface SupportDeletionDependencies {
  db: Database;
  roles: Pick<Roles, 'listHeld'>;
  accountRecords: Pick<AccountRecords, 'find'>;
  blockedAddresses: Pick<BlockedAddresses, 'block'>;
  mailKey: KeyObject;
  settings: { appName: string; contact: string | null };
  deleteAccount(account: AccountRecord, how: SupportDeletion): Promise<void>;
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
  /** Blocks the address, too, for this reason. Its mailbox then gets no mail about the deletion. */
  blockReason?: string | undefined;
}

/**
 * @param authorize called in the commit; returns the operator's name in the audit log
 * @throws {AppError} NO_SUCH_ACCOUNT, OPERATOR_ACCOUNT, INVALID
 */
export async function deleteForSupport(
  dependencies: SupportDeletionDependencies,
  { email, keepMessages, blockReason }: DeletionChoice,
  authorize: (db: Database) => Promise<string>,
): Promise<void> {
  const { accountRecords, mailKey, settings } = dependencies;

  async function getDeletableAccount(db: Database): Promise<AccountRecord> {
    const account = await accountRecords.find(db, email);
    if (account?.email !== email.toLowerCase()) throw new AppError('NO_SUCH_ACCOUNT');
    await checkNoOperator(db, dependencies.roles, account);
    return account;
  }

  await authorize(dependencies.db);
  // Before the account is signed out.
  if (blockReason !== undefined) parseBlockReason(blockReason);
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
      if (blockReason !== undefined) {
        const block = { email: account.email, reason: blockReason };
        await blockAddress(unitOfWork, { ...dependencies, staffName }, block);
        return;
      }
      const mail = createAccountDeletedMail(account.email, { ...settings, keepMessages });
      await insertMail(unitOfWork.db, mailKey, mail);
    },
  });
}

/** @throws {AppError} OPERATOR_ACCOUNT */
async function checkNoOperator(
  db: Database,
  roles: SupportDeletionDependencies['roles'],
  account: StaffAccount,
): Promise<void> {
  const heldRoles = await roles.listHeld(db, account);
  if (heldRoles.some(({ role }) => role === 'operator')) throw new AppError('OPERATOR_ACCOUNT');
}

/**
 * Blocks the address in one commit with its entry in the audit log, which does not say which address it is.
 *
 * @throws {AppError} OPERATOR_ACCOUNT, INVALID
 */
export async function blockAddress(
  unitOfWork: UnitOfWork,
  {
    blockedAddresses,
    roles,
    staffName,
  }: Pick<SupportDeletionDependencies, 'blockedAddresses' | 'roles'> & { staffName: string },
  block: { email: string; reason: string },
): Promise<void> {
  await blockedAddresses.block(unitOfWork, block, (account) =>
    checkNoOperator(unitOfWork.db, roles, account),
  );
  await appendAudit(unitOfWork, { staffName, act: 'block-address', reason: '' });
}
