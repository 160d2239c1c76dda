// Deletes an account when its owner asks an operator for it, with or without its messages.
import { AppError } from '#contract/errors.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { listHeldRoles, type StaffAccount } from '#server/chat/staff/roles.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Reader } from '#server/store/site.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { AccountRecord, AccountRecords } from '#server/accounts/account-records.ts';
import { parseBlockReason, type BlockedAddresses } from '#server/accounts/blocked-addresses.ts';
import { createAccountDeletedMail } from '#server/accounts/account-mails.ts';
import { toRecipient } from '#server/mail/recipient.ts';

export interface SupportDeletionDependencies {
  reader: Reader;
  accountRecords: Pick<AccountRecords, 'find'>;
  blockedAddresses: Pick<BlockedAddresses, 'block'>;
  settings: { appName: string; contact: string | null; languages: readonly string[] };
  deleteAccount(account: AccountRecord, how: SupportDeletion): Promise<void>;
}

interface SupportDeletion {
  keepMessages: boolean;
  removalWindowMs: number;
  isDue(reader: Reader): Promise<boolean>;
  /** Called in the commit of the deletion. */
  onDeleted(unitOfWork: UnitOfWork, staffName: string): Promise<void>;
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

/** @throws {AppError} NO_SUCH_ACCOUNT, OPERATOR_ACCOUNT, INVALID */
export async function deleteForSupport(
  dependencies: SupportDeletionDependencies,
  { email, keepMessages, blockReason }: DeletionChoice,
): Promise<void> {
  const { accountRecords, settings } = dependencies;

  async function getDeletableAccount(reader: Reader): Promise<AccountRecord> {
    const account = await accountRecords.find(reader.db, email);
    if (account?.email !== email.toLowerCase()) throw new AppError('NO_SUCH_ACCOUNT');
    await checkNoOperator(reader, account);
    return account;
  }

  // Before the account is signed out.
  if (blockReason !== undefined) parseBlockReason(blockReason);
  const account = await getDeletableAccount(dependencies.reader);
  await dependencies.deleteAccount(account, {
    keepMessages,
    removalWindowMs,
    async isDue(reader) {
      // Its owner can delete it and sign up again meanwhile.
      const { id } = await getDeletableAccount(reader);
      if (id !== account.id) throw new AppError('NO_SUCH_ACCOUNT');
      return true;
    },
    async onDeleted(unitOfWork, staffName) {
      await appendAudit(unitOfWork, { staffName, act: 'delete-account', reason: '' });
      if (blockReason !== undefined) {
        const block = { email: account.email, reason: blockReason };
        await blockAddress(unitOfWork, { ...dependencies, staffName }, block);
        return;
      }
      const recipient = toRecipient(account.email, account, settings);
      const mail = createAccountDeletedMail(recipient, { ...settings, keepMessages });
      await insertMail(unitOfWork.db, unitOfWork.site.keys.mails, mail);
    },
  });
}

/** @throws {AppError} OPERATOR_ACCOUNT */
async function checkNoOperator(reader: Reader, account: StaffAccount): Promise<void> {
  const heldRoles = await listHeldRoles(reader, account);
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
    staffName,
  }: Pick<SupportDeletionDependencies, 'blockedAddresses'> & { staffName: string },
  block: { email: string; reason: string },
): Promise<void> {
  await blockedAddresses.block(unitOfWork, block, (account) =>
    checkNoOperator(unitOfWork, account),
  );
  await appendAudit(unitOfWork, { staffName, act: 'block-address', reason: '' });
}
