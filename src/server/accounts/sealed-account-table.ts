// The part of the daily run that seals accounts and their sessions again. The sessions get a new group, so that copies of the
// database of several days do not tell which sessions belong together.
import { createRandomId } from '#server/base/random-id.ts';
import { shuffle } from '#server/base/shuffle.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { SealedTable } from '#server/store/daily-run.ts';
import type { AccountRecords } from './account-records.ts';
import { hasEnded, type SessionRecords } from './session-records.ts';

const accountsPerCommit = 100;

export function createSealedAccountTable(
  commits: CommitQueue,
  accountRecords: AccountRecords,
  sessionRecords: SessionRecords,
): SealedTable {
  return {
    commits,
    async resealAfter({ db: tx, addEffect }, lastId) {
      const accounts = await accountRecords.listAfter(tx, lastId, accountsPerCommit);
      const lastAccount = accounts.at(-1);
      if (!lastAccount) return null;
      const newGroups = new Map(
        accounts.map(({ sessionGroup }) => [sessionGroup, createRandomId()]),
      );
      const toNewGroup = (group: string) => newGroups.get(group) ?? group;
      const accountRows = accounts.map((account) =>
        accountRecords.seal({ ...account, sessionGroup: toNewGroup(account.sessionGroup) }),
      );
      const ids = accounts.map(({ id }) => id);
      await tx.deleteFrom('accounts').where('id', 'in', ids).execute();
      for (const row of shuffle(accountRows)) {
        await tx.insertInto('accounts').values(row).execute();
      }
      const sessions = await tx
        .deleteFrom('sessions')
        .where('sessionGroup', 'in', [...newGroups.keys()])
        .returningAll()
        .execute();
      for (const { id, sessionGroup, push, content } of shuffle(sessions)) {
        const session = sessionRecords.open({ id, content });
        if (hasEnded(session)) {
          addEffect({ kind: 'sessionsEnded', accountId: session.accountId, sessionIds: [id] });
          continue;
        }
        const row = { id, sessionGroup: toNewGroup(sessionGroup), push };
        await tx
          .insertInto('sessions')
          .values({ ...row, content: sessionRecords.seal(session) })
          .execute();
      }
      return lastAccount.id;
    },
  };
}
