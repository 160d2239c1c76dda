// Changes addresses for operators: the wrong address of an account, or all addresses of a domain that has a new name. The same
// commit changes everything that refers to an account by its mailbox.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';
import { resealSuspensions, type SuspendedAccountKeys } from '#server/chat/staff/suspensions.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import { insertMail, listMailsTo } from '#server/mail/insert-mail.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  findAccount,
  listMailboxes,
  listWithAddress,
  markVerified,
  revokeLinks,
  setAddress,
  type AccountAddress,
} from '#server/accounts/accounts-queries.ts';
import { deleteOutgoingMails } from '#server/mail/outgoing-mails-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { deleteSessions } from '#server/accounts/sessions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

interface Dependencies {
  /** Derives the hashes of suspended accounts, and the keys of mailboxes. */
  suspendedAccountKeys: SuspendedAccountKeys;
  mailKey: KeyObject;
}

/**
 * Gives an account another address, and ends its sessions and mailed links. Its password, and its identity at the university's
 * provider, stay.
 *
 * @param to an address in a domain of the university
 * @param mails the mails to both addresses
 * @param operatorName the operator's name in the audit log; null if the audit log already has an entry about the change
 * @throws {AppError} NO_SUCH_ACCOUNT; EMAIL_TAKEN if another account has the new address or its mailbox
 */
export async function correctAddress(
  unitOfWork: UnitOfWork,
  dependencies: Dependencies,
  { from, to }: { from: string; to: string },
  mails: readonly Mail[],
  operatorName: string | null,
): Promise<void> {
  const { db } = unitOfWork;
  const { toMailboxKey } = dependencies.suspendedAccountKeys;
  const oldEmail = from.toLowerCase();
  const account = await findAccount(db, { email: oldEmail, mailboxKey: toMailboxKey(oldEmail) });
  if (account?.email !== oldEmail) throw new AppError('NO_SUCH_ACCOUNT');
  const email = to.toLowerCase();
  const mailboxKey = toMailboxKey(email);
  const otherAccounts = await listWithAddress(db, { email, mailboxKey });
  if (otherAccounts.some(({ id }) => id !== account.id)) throw new AppError('EMAIL_TAKEN');
  await moveAddresses(db, dependencies, [{ id: account.id, email, mailboxKey }]);
  // The operator vouches for the address, or its owner opened a mailed link.
  await markVerified(db, account.id);
  await revokeLinks(db, account.id);
  await deleteSessions(unitOfWork, account.id, 'all');
  await appendChangeEvent(unitOfWork, 'address-changed');
  await deleteOutgoingMails(db, await listMailsTo(db, dependencies.mailKey, account.email));
  for (const mail of mails) await insertMail(db, dependencies.mailKey, mail);
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
  moves: AccountAddress[];
  /** Addresses whose new form belongs to another account. They stay. */
  taken: string[];
}

/** Moves all addresses of a domain. Sessions and passwords stay. A second run changes nothing. */
export async function renameDomain(
  unitOfWork: UnitOfWork,
  dependencies: Dependencies,
  rename: DomainRename,
): Promise<PlannedRename> {
  const { db } = unitOfWork;
  const plan = await planDomainRename(db, dependencies, rename);
  if (plan.moves.length === 0) return plan;
  await moveAddresses(db, dependencies, plan.moves);
  await appendChangeEvent(unitOfWork, 'address-changed');
  const reason = `${rename.from} to ${rename.to}`;
  await appendAudit(unitOfWork, { staffName: administratorName, act: 'rename-domain', reason });
  unitOfWork.contentErased();
  return plan;
}

export async function planDomainRename(
  db: Database,
  { suspendedAccountKeys }: Pick<Dependencies, 'suspendedAccountKeys'>,
  { from, to }: DomainRename,
): Promise<PlannedRename> {
  const accounts = await listMailboxes(db);
  const emails = new Set(accounts.map(({ email }) => email));
  const mailboxKeys = new Set(accounts.map(({ mailboxKey }) => mailboxKey));
  const plan: PlannedRename = { moves: [], taken: [] };
  for (const account of accounts.filter(({ email }) => email.endsWith(`@${from}`))) {
    const email = account.email.slice(0, -from.length) + to;
    const mailboxKey = suspendedAccountKeys.toMailboxKey(email);
    // The key is the account's own if the two names belong to one mail domain (CONF-37).
    const isMailboxTaken = mailboxKey !== account.mailboxKey && mailboxKeys.has(mailboxKey);
    if (emails.has(email) || isMailboxTaken) plan.taken.push(account.email);
    // Accounts that shared a mailbox still share it.
    else plan.moves.push({ ...account, email, mailboxKey: account.mailboxKey && mailboxKey });
  }
  return plan;
}

async function moveAddresses(
  db: DatabaseTransaction,
  { suspendedAccountKeys }: Pick<Dependencies, 'suspendedAccountKeys'>,
  moves: readonly AccountAddress[],
): Promise<void> {
  for (const change of moves) await setAddress(db, change);
  // A suspension finds its account by the mailbox, too.
  await resealSuspensions(db, moves, {
    oldKeys: suspendedAccountKeys,
    newKeys: suspendedAccountKeys,
  });
}
