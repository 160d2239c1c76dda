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
import type { Roles } from '#server/chat/staff/roles.ts';
import type { RemoveAccount } from '#server/feature.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
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

function registerSearchRoutes(route: Route, { support }: Dependencies): void {
  route('findAccount', async ({ accountCommits, body: { email } }) => {
    const account = await accountCommits.write(
      (unitOfWork, staffName) => support.find(unitOfWork, email, staffName),
      'allAccounts',
    );
    return { supported: account && toShownAccount(account) };
  });

  route('exportFoundAccount', async ({ accountCommits, body: { email } }) => {
    const account = await accountCommits.write(
      (unitOfWork, staffName) => support.find(unitOfWork, email, staffName, 'export-account'),
      'allAccounts',
    );
    if (!account) throw new AppError('NO_SUCH_ACCOUNT');
    return { supported: toShownAccount(account) };
  });
}

/** The calls that send a mail to the account. */
function registerMailRoutes(route: Route, dependencies: Dependencies): void {
  const { support } = dependencies;

  route('resendVerification', async ({ accountCommits, body: { email } }) => {
    await sendMail(dependencies, accountCommits, (unitOfWork, staffName) =>
      support.resendVerification(unitOfWork, email, staffName),
    );
    return {};
  });

  route('sendResetLink', async ({ accountCommits, body: { email } }) => {
    await sendMail(dependencies, accountCommits, (unitOfWork, staffName) =>
      support.sendResetLink(unitOfWork, email, staffName),
    );
    return {};
  });

  route('correctAddress', async ({ accountCommits, body: { email, newEmail } }) => {
    await sendMail(dependencies, accountCommits, async (unitOfWork, staffName) => {
      await support.mailNewAddress(unitOfWork, { from: email, to: newEmail }, staffName);
      return newEmail;
    });
    return {};
  });
}

/** The calls that end the sessions of an account, or the account. */
function registerEndingRoutes(route: Route, dependencies: Dependencies): void {
  const { roles, support, deletion, removeAccount } = dependencies;

  route('endAccountSessions', async ({ accountCommits, body: { email } }) => {
    await accountCommits.write(
      (unitOfWork, staffName) => support.endSessions(unitOfWork, email, staffName),
      'allAccounts',
    );
    return {};
  });

  route('deleteFoundAccount', async ({ accountCommits, account, body }) => {
    const { email, repeatedEmail, messages, blockReason } = body;
    if (email.toLowerCase() !== repeatedEmail.trim().toLowerCase()) {
      throw new AppError('INVALID', 'The two addresses differ. The account was not deleted.');
    }
    const deleteAccount: SupportDeletionDependencies['deleteAccount'] = (
      accountToDelete,
      removal,
    ) => removeAccount(accountCommits, accountToDelete, removal);
    const choice = { email, keepMessages: messages === 'keep', blockReason };
    await deleteForSupport({ ...deletion, deleteAccount }, choice, (db) =>
      checkRight(db, roles, account, null, 'administer'),
    );
    return {};
  });
}

function registerBlockRoutes(
  route: Route,
  { roles, deletion, blockedAddresses }: Dependencies,
): void {
  route('listBlockedAddresses', async () => {
    const blocks = await blockedAddresses.list(deletion.db);
    return {
      blocks: blocks.map(({ blockId, day, reason }) => ({ blockId, blockedDay: day, reason })),
    };
  });

  route('blockAddress', async ({ accountCommits, body: { email, blockReason: reason } }) => {
    await accountCommits.write(
      (unitOfWork, staffName) =>
        blockAddress(unitOfWork, { blockedAddresses, roles, staffName }, { email, reason }),
      'allAccounts',
    );
    return {};
  });

  route('unblockAddress', async ({ accountCommits, params: { blockId } }) => {
    await accountCommits.write(async (unitOfWork, staffName) => {
      await blockedAddresses.unblock(unitOfWork, { blockId });
      await appendAudit(unitOfWork, { staffName, act: 'unblock-address', reason: '' });
    }, 'allAccounts');
    return {};
  });
}

/** Counts the mail after the commit: the change may run twice. */
async function sendMail(
  { checkMail, countMail }: Dependencies,
  accountCommits: CallCommits,
  change: (unitOfWork: UnitOfWork, staffName: string) => Promise<string>,
): Promise<void> {
  const recipient = await accountCommits.write(async (unitOfWork, staffName) => {
    const to = await change(unitOfWork, staffName);
    checkMail(to);
    return to;
  }, 'allAccounts');
  countMail(recipient);
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
