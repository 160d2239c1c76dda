// Changes addresses for operators: the wrong address of an account, or all addresses of a domain that has a new name. The same
// commit changes everything that refers to an account by its mailbox.
import { AppError } from '#contract/errors.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';
import { resealSuspensions } from '#server/chat/staff/suspensions.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import { insertMail, listMailsTo } from '#server/mail/insert-mail.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { AccountRecord } from '#server/accounts/account-records.ts';
import type { CommandKeys } from '#server/commands/command-keys.ts';
import { deleteOutgoingMails } from '#server/mail/outgoing-mails-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

/** The new address of an account. The mailbox key is null if another account has the mailbox. */
type Move = Pick<AccountRecord, 'id' | 'email' | 'mailboxKey'>;

/**
 * Gives an account another address, and ends its sessions. Mailed links are for the old address. Its password, and its identity at the university's
 * provider, stay.
 *
 * @param to an address in a domain of the university
 * @param mails the mails to both addresses
 * @param operatorName the operator's name in the audit log; null if the audit log already has an entry about the change
 * @throws {AppError} NO_SUCH_ACCOUNT; EMAIL_TAKEN if another account has the new address or its mailbox
 */
export async function correctAddress(
  unitOfWork: UnitOfWork,
  keys: Pick<CommandKeys, 'suspendedAccountKeys' | 'mailKey' | 'accountRecords' | 'sessionRecords'>,
  { from, to }: { from: string; to: string },
  mails: readonly Mail[],
  operatorName: string | null,
): Promise<void> {
  const { db } = unitOfWork;
  const { mailKey, accountRecords, sessionRecords } = keys;
  const oldEmail = from.toLowerCase();
  const account = await accountRecords.find(db, oldEmail);
  if (account?.email !== oldEmail) throw new AppError('NO_SUCH_ACCOUNT');
  const email = to.toLowerCase();
  const mailboxKey = accountRecords.toMailboxKey(email);
  const otherAccounts = await accountRecords.listWithAddress(db, email);
  if (otherAccounts.some(({ id }) => id !== account.id)) throw new AppError('EMAIL_TAKEN');
  await moveAddresses(db, keys, [{ id: account.id, email, mailboxKey }]);
  // The operator vouches for the address, or its owner opened a mailed link.
  await accountRecords.change(db, account.id, () => ({ emailVerified: true }));
  await sessionRecords.end(unitOfWork, account.id, 'all');
  await appendChangeEvent(unitOfWork, 'address-changed');
  await deleteOutgoingMails(db, await listMailsTo(db, mailKey, account.email));
  for (const mail of mails) await insertMail(db, mailKey, mail);
  if (operatorName !== null) {
    await appendAudit(unitOfWork, { staffName: operatorName, act: 'correct-address', reason: '' });
  }
  unitOfWork.contentErased();
}

export interface DomainRename {
  from: string;
  to: string;
}

export interface PlannedRename {
  moves: Move[];
  /** Addresses whose new form belongs to another account. They stay. */
  taken: string[];
}

/** Moves all addresses of a domain. Sessions and passwords stay. A second run changes nothing. */
export async function renameDomain(
  unitOfWork: UnitOfWork,
  keys: Pick<CommandKeys, 'suspendedAccountKeys' | 'accountRecords'>,
  rename: DomainRename,
): Promise<PlannedRename> {
  const { db } = unitOfWork;
  const plan = await planDomainRename(db, keys, rename);
  if (plan.moves.length === 0) return plan;
  await moveAddresses(db, keys, plan.moves);
  await appendChangeEvent(unitOfWork, 'address-changed');
  const reason = `${rename.from} to ${rename.to}`;
  await appendAudit(unitOfWork, { staffName: administratorName, act: 'rename-domain', reason });
  unitOfWork.contentErased();
  return plan;
}

export async function planDomainRename(
  db: Database,
  { accountRecords }: Pick<CommandKeys, 'accountRecords'>,
  { from, to }: DomainRename,
): Promise<PlannedRename> {
  const accounts = (await Array.fromAsync(accountRecords.listAll(db))).flat();
  const emails = new Set(accounts.map(({ email }) => email));
  const mailboxKeys = new Set(accounts.map(({ mailboxKey }) => mailboxKey));
  const plan: PlannedRename = { moves: [], taken: [] };
  for (const account of accounts.filter(({ email }) => email.endsWith(`@${from}`))) {
    const email = account.email.slice(0, -from.length) + to;
    const mailboxKey = accountRecords.toMailboxKey(email);
    // The key is the account's own if the two names belong to one mail domain (CONF-37).
    const isMailboxTaken = mailboxKey !== account.mailboxKey && mailboxKeys.has(mailboxKey);
    if (emails.has(email) || isMailboxTaken) plan.taken.push(account.email);
    // Accounts that shared a mailbox still share it.
    else plan.moves.push({ id: account.id, email, mailboxKey: account.mailboxKey && mailboxKey });
  }
  return plan;
}

async function moveAddresses(
  db: DatabaseTransaction,
  keys: Pick<CommandKeys, 'suspendedAccountKeys' | 'accountRecords'>,
  moves: readonly Move[],
): Promise<void> {
  for (const { id, ...address } of moves) await keys.accountRecords.change(db, id, () => address);
  // A suspension finds its account by the mailbox, too.
  await resealSuspensions(db, moves, {
    oldKeys: keys.suspendedAccountKeys,
    newKeys: keys.suspendedAccountKeys,
  });
}
