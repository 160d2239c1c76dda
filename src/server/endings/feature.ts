// Ends accounts, removes what departed members left, and erases classes that are due. account-deletion.ts has the immediate part
// of a deletion, and remove-departed.ts the later removal from the classes. The export lets an account read its data before.
import type { RemoveAccount, Feature, Server } from '#server/feature.ts';
import { createSealedAccountTable } from '#server/accounts/sealed-account-table.ts';
import { deleteUnverified } from '#server/accounts/unverified-accounts.ts';
import { listEnrollments } from '#server/chat/classes/enrollments-queries.ts';
import { resealPendingRemovals } from '#server/chat/members/pending-removals.ts';
import { listRoles } from '#server/chat/staff/roles-queries.ts';
import type { MailTransport } from '#server/mail/mail-transport.ts';
import type { Notifications } from '#server/features/notifications/feature.ts';
import { deleteAccount, type DeletionDependencies } from './account-deletion.ts';
import { registerAccountExportRoute } from './account-export-route.ts';
import { createSealedEnrollmentTable, createSealedRegisterTable } from './sealed-tables.ts';
import { startScheduledRemovals } from './scheduled-removals.ts';
import { startDailyRun } from '#server/store/daily-run.ts';
import type { Database } from '#server/store/tables.ts';

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
    | 'registers'
    | 'keys'
    | 'accountRecords'
    | 'sessionRecords'
    | 'lease'
    | 'preferences'
    | 'suspendedAccounts'
    | 'accounts'
    | 'log'
  >,
  { choices }: Pick<Notifications, 'choices'>,
): Feature {
  const { config, db, commits, accountCommits, registers, keys, lease, log } = server;
  const { accountRecords, sessionRecords } = server;
  const { preferences, suspendedAccounts } = server;
  const { devices, unusedAccounts } = server.accounts;
  const personaKey = keys.personas;
  const timesKey = keys.times;
  return {
    routes: (route) =>
      registerAccountExportRoute(route, {
        devices,
        db,
        accountRecords,
        personaKey,
        timesKey,
        voteKey: keys.questionVotes,
        preferences,
        suspendedAccounts,
        choices,
        log,
      }),
    start() {
      const unverified = { db, commits: accountCommits, accountRecords, sessionRecords, isNeeded };
      const stopRemovals = startScheduledRemovals({
        db,
        commits,
        accountCommits,
        registers,
        personaKey,
        lease,
        log,
        suspensionKeys: keys.suspensions,
        voteKey: keys.questionVotes,
        retentionDays: config.retentionDays,
        deleteUnverified: (day, stopping) => deleteUnverified(unverified, day, stopping),
        removeUnused: (stopping) => unusedAccounts.run(stopping),
      });
      const stopDailyRun = startDailyRun({
        db,
        commits: accountCommits,
        tables: [
          createSealedAccountTable(accountRecords, sessionRecords),
          createSealedEnrollmentTable(timesKey),
          createSealedRegisterTable(registers),
        ],
        onFinished: (unitOfWork) => resealPendingRemovals(unitOfWork.db, personaKey),
        lease,
        log,
      });
      return () => Promise.all([stopRemovals(), stopDailyRun()]);
    },
  };
}

/** Tells whether the account has a class or a role. */
async function isNeeded(db: Database, accountId: string): Promise<boolean> {
  if ((await listEnrollments(db, accountId)).length > 0) return true;
  return (await listRoles(db, accountId)).length > 0;
}
