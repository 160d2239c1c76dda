// Opens what features get: the chat, mails, accounts and pictures. Some features come before others here, because accounts
// or the server ask them by name.
import { BlockedAddresses } from './accounts/blocked-addresses.ts';
import { connectAccounts, type ConnectedAccounts } from './accounts/connect-accounts.ts';
import { createIdentityCheck } from './accounts/identity-check.ts';
import { createLimitedMails } from './accounts/limited-mails.ts';
import type { passwordCost } from './accounts/password-hashing.ts';
import { findSessionWithLastEvent } from './accounts/session-records.ts';
import type { FileSandbox } from './base/file-worker.ts';
import type { StopTogether } from './base/stop-together.ts';
import { connectChat, type ConnectedChat } from './chat/connect-chat.ts';
import { renewNameKeys } from './chat/members/persona-name-key.ts';
import { sealHashesBeforeNewKeys } from './chat/staff/audit-log.ts';
import { checkCallRight } from './chat/staff/rights.ts';
import { listHeldRoles } from './chat/staff/roles.ts';
import { hideSuspended } from './chat/staff/suspended-accounts.ts';
import { resealSuspensions } from './chat/staff/suspensions.ts';
import { correctAddress } from './endings/change-address.ts';
import { createAccountRemoval } from './endings/feature.ts';
import type { Feature, Server } from './feature.ts';
import type { NamedFeatures } from './features.ts';
import { createAnnouncements } from './features/announcements/feature.ts';
import { createClassSearch } from './features/class-search/feature.ts';
import { recordUnmasking } from './features/moderation/unmasking/unmasking-setting.ts';
import { createNotifications, type Notifications } from './features/notifications/feature.ts';
import { createRoleAdmin } from './features/roles/feature.ts';
import { SecondFactor } from './features/second-factor/second-factor.ts';
import { createProviderSignIn } from './features/sign-on/feature.ts';
import { createCallLimits } from './http/call-limits.ts';
import type { Authenticator } from './http/route.ts';
import { MailQueue } from './mail/mail-queue.ts';
import type { Spine } from './open-spine.ts';
import { connectPictures } from './pictures/connect-pictures.ts';
import type { PictureProcess } from './pictures/picture-processor.ts';

export interface Options {
  /** The sandbox of the processes that decode uploaded files. */
  sandbox?: Promise<FileSandbox>;
  /** The cost of argon2id. Tests hash thousands of passwords. */
  passwordCost?: typeof passwordCost;
  /** Tests start many servers that share one. */
  pictureProcess?: PictureProcess;
}

/** @param run lets the feature take part in the server */
export async function openServer(
  stopTogether: StopTogether,
  spine: Spine & { webDir: string | null },
  options: Options,
  run: <Created extends Feature>(feature: Created) => Created,
): Promise<{ server: Server; named: Omit<NamedFeatures, 'themes' | 'warnings'> }> {
  const { config, keys, db, commits, accountCommits, nodes } = spine;
  const { limiter, addresses, mailboxes } = spine;
  await renewNameKeys(db, commits);
  const unmasking = await recordUnmasking(db, commits, config.unmasking);
  const chat = await connectChat(stopTogether, {
    ...spine,
    readMarkNotices: nodes?.readMarkNotices,
    isShared: nodes !== null,
  });
  const { suspendedAccounts } = chat;
  const notifications = run(await createNotifications({ ...spine, ...chat }));
  const blockedAddresses = new BlockedAddresses(
    keys.blockedAddresses,
    mailboxes,
    spine.accountRecords,
    spine.sessionRecords,
  );
  const { isDigestWanted } = notifications;
  const mails = openMailQueue(stopTogether, spine, blockedAddresses, isDigestWanted);
  const limitedMails = createLimitedMails(mails, limiter, addresses, mailboxes);

  const removeAccount = createAccountRemoval({ ...spine, ...chat });
  const core = { ...spine, mails, limitedMails, blockedAddresses };
  const accounts = await connectAccounts(core, {
    onLimitHit: spine.onLimitHit,
    passwordCost: options.passwordCost,
    sharedSignInFailures: nodes?.sharedSignInFailures,
    readNotified: notifications.readSubscribed,
    isKept: async (reader, account) => (await listHeldRoles(reader, account)).length > 0,
    // No one chose that the messages go, and personas that disappear together would be linked.
    deleteAccount: (account, isDue) =>
      removeAccount(accountCommits, account, { keepMessages: true, isDue }),
    ...createMailboxMoves(spine),
  });
  // The start may have changed their hashes of mailboxes.
  await suspendedAccounts.load();
  await sealHashesBeforeNewKeys(accountCommits, db, keys.personas);
  const secondFactor = new SecondFactor(core);
  const callers = createAuthenticator(accounts, chat, notifications, secondFactor);
  const signOn = run(await createProviderSignIn({ ...core, accounts }));
  const server: Server = {
    ...core,
    ...chat,
    ...connectPictures(stopTogether, core, spine.imageStore, options.pictureProcess),
    accounts,
    removeAccount,
    callers,
    viewers: hideSuspended(callers, suspendedAccounts),
    callLimits: createCallLimits(limiter, addresses),
    checkIdentity: createIdentityCheck(accounts, signOn.signOn, config.passwordSignIn),
  };
  const named = {
    notifications,
    secondFactor,
    signOn,
    announcements: run(createAnnouncements(server)),
    roleAdmin: run(createRoleAdmin(server)),
    classSearch: run(await createClassSearch(server, spine.classIndex)),
    unmasking,
  };
  return { server, named };
}

/** What follows if an account gets another address or mailbox. */
function createMailboxMoves({
  keys,
  mailboxes,
  accountRecords,
  sessionRecords,
}: Spine): Pick<Parameters<typeof connectAccounts>[1], 'resealSuspensions' | 'moveAddress'> {
  const suspendedAccountKeys = { ...keys.suspensions, toMailboxKey: mailboxes.toKey };
  return {
    resealSuspensions: (transaction, accounts) =>
      resealSuspensions(transaction, accounts, {
        oldKeys: suspendedAccountKeys,
        newKeys: suspendedAccountKeys,
      }),
    moveAddress: (unitOfWork, move, mails) =>
      correctAddress(
        unitOfWork,
        { suspendedAccountKeys, mailKey: keys.mails, accountRecords, sessionRecords },
        move,
        mails,
        null,
      ),
  };
}

function openMailQueue(
  stopTogether: StopTogether,
  { db, accountCommits, keys, transport, lease, log, metrics }: Spine,
  blockedAddresses: BlockedAddresses,
  isDigestWanted: Notifications['isDigestWanted'],
): MailQueue {
  const mails = new MailQueue({
    db,
    commits: accountCommits,
    key: keys.mails,
    send: transport.send,
    isDigestWanted,
    isBlocked: (address) => blockedAddresses.isBlocked(db, address),
    lease,
    log,
    metrics,
  });
  stopTogether.defer(() => mails.stop());
  return mails;
}

function createAuthenticator(
  { accounts, recentSessions }: ConnectedAccounts,
  { suspendedAccounts }: Pick<ConnectedChat, 'suspendedAccounts'>,
  { recordActivity }: Notifications,
  secondFactor: SecondFactor,
): Authenticator {
  return {
    async authenticate(cookies) {
      const account = await recentSessions.authenticate(cookies, (header) =>
        accounts.authenticate(header),
      );
      if (account) recordActivity(account.id);
      return account;
    },
    isSuspended: suspendedAccounts.isSuspended,
    async readStanding(tx, account) {
      const session = await findSessionWithLastEvent(tx, account.sessionId);
      if (!session) return 'session ended';
      const isSuspended = await suspendedAccounts.isSuspendedInCommit(
        tx,
        account,
        session.lastEvent,
      );
      return isSuspended ? 'suspended' : 'active';
    },
    checkRole: checkCallRight,
    checkFactor: (account, headers, factor) => secondFactor.check(account, headers, factor),
  };
}
