// The calls of /admin/accounts. Only operators may make them, and each needs a whole address. The entries of the audit log name
// neither the address nor the account.
import { AppError } from '#contract/errors.ts';
import type { SupportedAccount as ShownAccount } from '#contract/account-support.ts';
import type { AccountSupport, SupportedAccount } from './account-support.ts';
import {
  blockAddress,
  deleteForSupport,
  type SupportDeletionDependencies,
} from './delete-for-support.ts';
import type { BlockedAddresses } from '#server/accounts/blocked-addresses.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { checkRight } from '#server/chat/staff/rights.ts';
import type { Roles, StaffAccount } from '#server/chat/staff/roles.ts';
import type { RemoveAccount } from '#server/feature.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  roles: Roles;
  support: AccountSupport;
  deletion: Omit<SupportDeletionDependencies, 'deleteAccount'>;
  removeAccount: RemoveAccount;
  blockedAddresses: BlockedAddresses;
  /** LIMIT-51 @throws {AppError} TOO_MANY if the address gets no more mails */
  checkMail(email: string): void;
  countMail(email: string): void;
}

export function registerAccountSupportRoutes(route: Route, dependencies: Dependencies): void {
  registerSearchRoutes(route, dependencies);
  registerMailRoutes(route, dependencies);
  registerEndingRoutes(route, dependencies);
  registerBlockRoutes(route, dependencies);
}

function registerSearchRoutes(route: Route, { roles, support }: Dependencies): void {
  route('findAccount', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    const account = await changeAccount(roles, incoming, (unitOfWork, staffName) =>
      support.find(unitOfWork, email, staffName),
    );
    return { supported: account && toShownAccount(account) };
  });

  route('exportFoundAccount', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    const account = await changeAccount(roles, incoming, (unitOfWork, staffName) =>
      support.find(unitOfWork, email, staffName, 'export-account'),
    );
    if (!account) throw new AppError('NO_SUCH_ACCOUNT');
    return { supported: toShownAccount(account) };
  });
}

/** The calls that send a mail to the account. */
function registerMailRoutes(route: Route, dependencies: Dependencies): void {
  const { support } = dependencies;

  route('resendVerification', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    await sendMail(dependencies, incoming, (unitOfWork, staffName) =>
      support.resendVerification(unitOfWork, email, staffName),
    );
    return {};
  });

  route('sendResetLink', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    await sendMail(dependencies, incoming, (unitOfWork, staffName) =>
      support.sendResetLink(unitOfWork, email, staffName),
    );
    return {};
  });

  route('correctAddress', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email, newEmail } = incoming.body;
    await sendMail(dependencies, incoming, async (unitOfWork, staffName) => {
      await support.mailNewAddress(unitOfWork, { from: email, to: newEmail }, staffName);
      return newEmail;
    });
    return {};
  });
}

/** The calls that end the sessions of an account, or the account. */
function registerEndingRoutes(route: Route, dependencies: Dependencies): void {
  const { roles, support, deletion, removeAccount } = dependencies;

  route('endAccountSessions', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    await changeAccount(roles, incoming, (unitOfWork, staffName) =>
      support.endSessions(unitOfWork, email, staffName),
    );
    return {};
  });

  route(
    'deleteFoundAccount',
    { access: 'signedIn', rate: 'accountSearches' },
    async ({ accountCommits, account, body }) => {
      const { email, repeatedEmail, messages, blockReason } = body;
      await checkMayAdminister(deletion.db, roles, account);
      if (email.toLowerCase() !== repeatedEmail.trim().toLowerCase()) {
        throw new AppError('INVALID', 'The two addresses differ. The account was not deleted.');
      }
      const deleteAccount: SupportDeletionDependencies['deleteAccount'] = (
        accountToDelete,
        removal,
      ) => removeAccount(accountCommits, accountToDelete, removal);
      const choice = { email, keepMessages: messages === 'keep', blockReason };
      await deleteForSupport({ ...deletion, deleteAccount }, choice, (db) =>
        checkMayAdminister(db, roles, account),
      );
      return {};
    },
  );
}

function registerBlockRoutes(
  route: Route,
  { roles, deletion, blockedAddresses }: Dependencies,
): void {
  route('listBlockedAddresses', 'signedIn', async ({ account }) => {
    await checkMayAdminister(deletion.db, roles, account);
    const blocks = await blockedAddresses.list(deletion.db);
    return {
      blocks: blocks.map(({ blockId, day, reason }) => ({ blockId, blockedDay: day, reason })),
    };
  });

  route('blockAddress', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email, blockReason: reason } = incoming.body;
    await changeAccount(roles, incoming, (unitOfWork, staffName) =>
      blockAddress(unitOfWork, { blockedAddresses, roles, staffName }, { email, reason }),
    );
    return {};
  });

  route('unblockAddress', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { blockId } = incoming.params;
    await changeAccount(roles, incoming, async (unitOfWork, staffName) => {
      await blockedAddresses.unblock(unitOfWork, { blockId });
      await appendAudit(unitOfWork, { staffName, act: 'unblock-address', reason: '' });
    });
    return {};
  });
}

interface SupportCall {
  accountCommits: CallCommits;
  account: StaffAccount;
}

/** Checks the right in the commit, so that no action follows the end of the role. */
function changeAccount<Result>(
  roles: Roles,
  { accountCommits, account }: SupportCall,
  change: (unitOfWork: UnitOfWork, staffName: string) => Promise<Result>,
): Promise<Result> {
  return accountCommits.write(async (unitOfWork) => {
    const staffName = await checkMayAdminister(unitOfWork.db, roles, account);
    return change(unitOfWork, staffName);
  }, 'allAccounts');
}

/** Counts the mail after the commit: the change may run twice. */
async function sendMail(
  { roles, checkMail, countMail }: Dependencies,
  call: SupportCall,
  change: (unitOfWork: UnitOfWork, staffName: string) => Promise<string>,
): Promise<void> {
  const recipient = await changeAccount(roles, call, async (unitOfWork, staffName) => {
    const to = await change(unitOfWork, staffName);
    checkMail(to);
    return to;
  });
  countMail(recipient);
}

/** @returns the name under which the operator acts */
function checkMayAdminister(db: Database, roles: Roles, account: StaffAccount): Promise<string> {
  return checkRight(db, roles, account, null, 'administer');
}

/** No field has the name of one that only its owner gets. */
function toShownAccount({
  email,
  verified,
  createdDay,
  signsInWith,
  devices,
}: SupportedAccount): ShownAccount {
  return {
    accountAddress: email,
    verified,
    joiningDay: createdDay,
    signsInWith,
    signedInOn: devices.map(({ name, signedInDay }) => {
      return { deviceName: name, signInDay: signedInDay };
    }),
  };
}
