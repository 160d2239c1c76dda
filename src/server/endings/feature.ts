// Ends accounts, removes what departed members left, and erases classes that are due. account-deletion.ts has the immediate part
// of a deletion, and remove-departed.ts the later removal from the classes. The export lets an account read its data before.
import type { RemoveAccount, Feature, Server } from '#server/feature.ts';
import { createSealedAccountTable } from '#server/accounts/sealed-account-table.ts';
import { UnverifiedAccounts } from '#server/accounts/unverified-accounts.ts';
import { resealPendingRemovals } from '#server/chat/members/pending-removals.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import { deleteAccount } from './account-deletion.ts';
import { registerAccountExportRoute } from './account-export-route.ts';
import { registerDataCopyRoute } from './data-copy.ts';
import { createSealedRegisterTable } from './sealed-register-table.ts';
import { startScheduledRemovals } from './scheduled-removals.ts';
import { startDailyRun } from '#server/store/daily-run.ts';
import { createRemovalDay } from '#server/store/removal-day.ts';
import type { Reader } from '#server/store/site.ts';

export function createAccountRemoval(
  server: Pick<Server, 'db' | 'site' | 'commits' | 'sessionRecords' | 'memberships' | 'transport'>,
): RemoveAccount {
  return async (commits, { id: accountId, email, sessionId }, removal) => {
    const account = { accountId, email, ...removal };
    await deleteAccount(server, commits, account, sessionId ?? null);
    server.transport.deleteMailsTo(email);
  };
}

export function createEndings(server: Server): Feature {
  return {
    routes(route) {
      registerAccountExportRoute(route, server);
      registerDataCopyRoute(route, server);
    },
    start: () => startEndings(server),
  };
}

/** Starts the work in the background. @returns what stops it */
function startEndings(server: Server): () => Promise<unknown> {
  const { config, db, commits, accountCommits, memberships } = server;
  const { unusedAccounts } = server.accounts;
  const isNeeded = async (reader: Reader, accountId: string) =>
    !memberships.isComplete ||
    (await memberships.list(reader.db, accountId)).size > 0 ||
    (await listRoles(reader, accountId)).length > 0;
  const findRemovalDay = createRemovalDay({ db, commits });
  const stopRemovals = startScheduledRemovals(server, config.retentionDays, findRemovalDay);
  const unverified = new UnverifiedAccounts(server, isNeeded);
  const visitors = [unverified, unusedAccounts];
  const stopDailyRun = startDailyRun({
    ...server,
    commits: accountCommits,
    tables: [createSealedAccountTable(server, visitors), createSealedRegisterTable(commits)],
    onFinished: resealPendingRemovals,
    hourlyTasks: [
      async (stopping) => unverified.deleteDue(await findRemovalDay(), stopping),
      (stopping) => unusedAccounts.run(stopping),
    ],
  });
  return () => Promise.all([stopRemovals(), stopDailyRun()]);
}
