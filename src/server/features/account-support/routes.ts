// The calls of /admin/accounts. Only operators may make them, and each needs a whole address. The entries of the audit log name
// neither the address nor the account.
import { AppError } from '#contract/errors.ts';
import type { SupportedAccount as ShownAccount } from '#contract/account-support.ts';
import type { AccountSupport, SupportedAccount } from './account-support.ts';
import { deleteForSupport, type SupportDeletionDependencies } from './delete-for-support.ts';
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
  /** LIMIT-51 @throws {AppError} TOO_MANY if the address gets no more mails */
  checkMail(email: string): void;
  countMail(email: string): void;
}

interface SupportCall {
  accountCommits: CallCommits;
  account: StaffAccount;
}

export function registerAccountSupportRoutes(route: Route, dependencies: Dependencies): void {
  const { roles, support, deletion, removeAccount, checkMail, countMail } = dependencies;

  const authorize = (db: Database, account: StaffAccount) =>
    checkRight(db, roles, account, null, 'administer');

  /** The right is checked in the commit, so that no act follows the end of the role. */
  const act = <Result>(
    { accountCommits, account }: SupportCall,
    change: (unitOfWork: UnitOfWork, by: string) => Promise<Result>,
  ): Promise<Result> =>
    accountCommits.write(async (unitOfWork) => {
      const by = await authorize(unitOfWork.db, account);
      return change(unitOfWork, by);
    }, 'allAccounts');

  /** Counts the mail after the commit: the change may run twice. */
  async function mail(
    call: SupportCall,
    change: (unitOfWork: UnitOfWork, by: string) => Promise<string>,
  ): Promise<void> {
    const recipient = await act(call, async (unitOfWork, by) => {
      const to = await change(unitOfWork, by);
      checkMail(to);
      return to;
    });
    countMail(recipient);
  }

  route('findAccount', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    const found = await act(incoming, (unitOfWork, by) => support.find(unitOfWork, email, by));
    return { supported: found && shown(found) };
  });

  route('exportFoundAccount', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    const found = await act(incoming, (unitOfWork, by) =>
      support.find(unitOfWork, email, by, 'export-account'),
    );
    if (!found) throw new AppError('NO_SUCH_ACCOUNT');
    return { supported: shown(found) };
  });

  route('resendVerification', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    await mail(incoming, (unitOfWork, by) => support.resendVerification(unitOfWork, email, by));
    return {};
  });

  route('sendResetLink', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    await mail(incoming, (unitOfWork, by) => support.sendResetLink(unitOfWork, email, by));
    return {};
  });

  route('correctAddress', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email, newEmail } = incoming.body;
    await mail(incoming, async (unitOfWork, by) => {
      await support.mailNewAddress(unitOfWork, { from: email, to: newEmail }, by);
      return newEmail;
    });
    return {};
  });

  route('endAccountSessions', { access: 'signedIn', rate: 'accountSearches' }, async (incoming) => {
    const { email } = incoming.body;
    await act(incoming, (unitOfWork, by) => support.endSessions(unitOfWork, email, by));
    return {};
  });

  route(
    'deleteFoundAccount',
    { access: 'signedIn', rate: 'accountSearches' },
    async ({ commits, account, body }) => {
      const { email, repeatedEmail } = body;
      await authorize(deletion.db, account);
      if (email.toLowerCase() !== repeatedEmail.trim().toLowerCase()) {
        throw new AppError('INVALID', 'The two addresses differ. The account was not deleted.');
      }
      const deleteAccount: SupportDeletionDependencies['deleteAccount'] = (found, removal) =>
        removeAccount(commits, found, removal);
      await deleteForSupport({ ...deletion, deleteAccount }, email, (db) => authorize(db, account));
      return {};
    },
  );
}

/** No field has the name of one that only its owner gets. */
function shown({
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
