// The calls of /admin/accounts. Only operators may make them, and each needs a whole address. The entries of the audit log name
// neither the address nor the account.
import { AppError } from '#contract/errors.ts';
import type { SupportedAccount as ShownAccount } from '#contract/account-support.ts';
import type { AccountSupport, SupportedAccount } from './account-support.ts';
import { blockAddress, deleteForSupport } from './delete-for-support.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { Server } from '#server/feature.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Route } from '#server/http/route.ts';

export type SupportServer = Pick<
  Server,
  | 'config'
  | 'db'
  | 'site'
  | 'limiter'
  | 'addresses'
  | 'mailboxes'
  | 'accountRecords'
  | 'blockedAddresses'
  | 'removeAccount'
>;

export function registerAccountSupportRoutes(
  route: Route,
  server: SupportServer,
  support: AccountSupport,
): void {
  registerSearchRoutes(route, support);
  registerMailRoutes(route, server, support);
  registerEndingRoutes(route, server, support);
  registerBlockRoutes(route, server);
}

function registerSearchRoutes(route: Route, support: AccountSupport): void {
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
function registerMailRoutes(route: Route, server: SupportServer, support: AccountSupport): void {
  route('resendVerification', async ({ accountCommits, body: { email } }) => {
    await sendMail(server, accountCommits, (unitOfWork, staffName) =>
      support.resendVerification(unitOfWork, email, staffName),
    );
    return {};
  });

  route('sendResetLink', async ({ accountCommits, body: { email } }) => {
    await sendMail(server, accountCommits, (unitOfWork, staffName) =>
      support.sendResetLink(unitOfWork, email, staffName),
    );
    return {};
  });

  route('correctAddress', async ({ accountCommits, body: { email, newEmail } }) => {
    await sendMail(server, accountCommits, async (unitOfWork, staffName) => {
      await support.mailNewAddress(unitOfWork, { from: email, to: newEmail }, staffName);
      return newEmail;
    });
    return {};
  });
}

/** The calls that end the sessions of an account, or the account. */
function registerEndingRoutes(route: Route, server: SupportServer, support: AccountSupport): void {
  const { config, removeAccount } = server;
  const settings = {
    appName: config.appName,
    contact: config.supportContact,
    languages: config.languages,
  };

  route('endAccountSessions', async ({ accountCommits, body: { email } }) => {
    await accountCommits.write(
      (unitOfWork, staffName) => support.endSessions(unitOfWork, email, staffName),
      'allAccounts',
    );
    return {};
  });

  route('deleteFoundAccount', async ({ accountCommits, body }) => {
    const { email, repeatedEmail, messages, blockReason } = body;
    if (email.toLowerCase() !== repeatedEmail.trim().toLowerCase()) {
      throw new AppError('ADDRESSES_DIFFER');
    }
    await deleteForSupport(
      {
        ...server,
        reader: server,
        settings,
        deleteAccount: (deleted, removal) => removeAccount(accountCommits, deleted, removal),
      },
      { email, keepMessages: messages === 'keep', blockReason },
    );
    return {};
  });
}

function registerBlockRoutes(route: Route, { db, blockedAddresses }: SupportServer): void {
  route('listBlockedAddresses', async () => {
    const blocks = await blockedAddresses.list(db);
    return {
      blocks: blocks.map(({ blockId, day, reason }) => ({ blockId, blockedDay: day, reason })),
    };
  });

  route('blockAddress', async ({ accountCommits, body: { email, blockReason: reason } }) => {
    await accountCommits.write(
      (unitOfWork, staffName) =>
        blockAddress(unitOfWork, { blockedAddresses, staffName }, { email, reason }),
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

/**
 * Counts the mail after the commit: the change may run twice. LIMIT-51
 *
 * @throws {AppError} TOO_MANY if the address gets no more mails
 */
async function sendMail(
  { limiter, addresses, mailboxes }: SupportServer,
  accountCommits: CallCommits,
  change: (unitOfWork: UnitOfWork, staffName: string) => Promise<string>,
): Promise<void> {
  const toMailKey = (email: string) => `support ${addresses.hashEmail(mailboxes.toMailbox(email))}`;
  const recipient = await accountCommits.write(async (unitOfWork, staffName) => {
    const to = await change(unitOfWork, staffName);
    limiter.take('mails', toMailKey(to));
    limiter.refund('mails', toMailKey(to));
    return to;
  }, 'allAccounts');
  limiter.countUnchecked('mails', toMailKey(recipient), 1);
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
