// Ends accounts, removes what departed members left, and erases classes that are due. account-deletion.ts has the immediate part
// of a deletion, and remove-departed.ts the later removal from the classes. The export lets an account read its data before.
import type { RemoveAccount, Feature, Server } from '#server/feature.ts';
import { deleteUnverified } from '#server/accounts/unverified-accounts.ts';
import type { MailTransport } from '#server/mail/mail-transport.ts';
import type { Notifications } from '#server/features/notifications/feature.ts';
import { deleteAccount, type DeletionDependencies } from './account-deletion.ts';
import { registerAccountExportRoute } from './account-export-route.ts';
import { startResealing } from './reseal-accounts.ts';
import { startScheduledRemovals } from './scheduled-removals.ts';

export function createAccountRemoval(
  deletion: Omit<DeletionDependencies, 'commits'>,
  transport: Pick<MailTransport, 'deleteMailsTo'>,
): RemoveAccount {
  return async (commits, { id: accountId, email, sessionId }, removal) => {
    const account = { accountId, email, ...removal };
    await deleteAccount({ ...deletion, commits }, account, sessionId ?? null);
    transport.deleteMailsTo(email);
  };
}

export function createEndings(
  server: Pick<
    Server,
    | 'config'
    | 'db'
    | 'commits'
    | 'accountCommits'
    | 'keys'
    | 'epoch'
    | 'lease'
    | 'memberships'
    | 'preferences'
    | 'suspendedAccounts'
    | 'accounts'
    | 'log'
  >,
  { choices }: Pick<Notifications, 'choices'>,
): Feature {
  const { config, db, commits, accountCommits, keys, epoch, lease, log } = server;
  const { memberships, preferences, suspendedAccounts } = server;
  const { devices, unusedAccounts } = server.accounts;
  const personaKey = keys.personas;
  const timesKey = keys.times;
  return {
    routes: (route) =>
      registerAccountExportRoute(route, {
        devices,
        db,
        personaKey,
        timesKey,
        voteKey: keys.questionVotes,
        memberships,
        preferences,
        suspendedAccounts,
        choices,
        log,
      }),
    start() {
      const stopRemovals = startScheduledRemovals({
        db,
        commits,
        accountCommits,
        personaKey,
        lease,
        log,
        suspensionKeys: keys.suspensions,
        voteKey: keys.questionVotes,
        retentionDays: config.retentionDays,
        deleteUnverified: (day, stopping) =>
          deleteUnverified(
            {
              db,
              commits: accountCommits,
              timesKey,
              hasClasses: async (tx, id) => (await memberships.list(tx, id)).size > 0,
            },
            day,
            stopping,
          ),
        removeUnused: (stopping) => unusedAccounts.run(stopping),
      });
      const stopResealing = startResealing({
        db,
        commits: accountCommits,
        epoch,
        lease,
        log,
        keys: {
          ...keys.notifications,
          times: timesKey,
          accountUse: keys.accountUse,
          personas: personaKey,
        },
      });
      return () => Promise.all([stopRemovals(), stopResealing()]);
    },
  };
}
