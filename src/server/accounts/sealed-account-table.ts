// The part of the daily run that seals accounts and their sessions again, and shows each account to the visitors. The sessions get a
// new group, so that copies of the database of several days do not tell which sessions belong together.
import { createRandomId } from '#server/base/random-id.ts';
import { tryToOpen } from '#server/base/seal.ts';
import { shuffle } from '#server/base/shuffle.ts';
import type { SealedTable } from '#server/store/daily-run.ts';
import type { AccountRecord } from './account-records.ts';
import type { ServerCore } from './server-core.ts';
import { hasEnded } from './session-records.ts';

/** What has to see all accounts once a day. */
export interface AccountVisitor {
  /** It may see an account twice. @returns what changes in the stored account; null for nothing */
  visit(account: AccountRecord): Partial<Omit<AccountRecord, 'id'>> | null;
}

/** With 50 sessions each, one insert has 20,000 parameters, of which SQLite takes 32,766. */
const accountsPerCommit = 100;

export function createSealedAccountTable(
  server: Pick<ServerCore, 'db' | 'accountCommits' | 'accountRecords' | 'sessionRecords'>,
  visitors: readonly AccountVisitor[],
): SealedTable {
  const { db, accountCommits: commits, accountRecords, sessionRecords } = server;
  const visit = (account: AccountRecord) =>
    Object.assign(
      {},
      ...visitors.map((visitor) => visitor.visit(account)),
    ) as Partial<AccountRecord>;

  return {
    commits,
    async visitAfter(lastId) {
      const { accounts, ...slice } = await accountRecords.listAfter(db, lastId, accountsPerCommit);
      for (const account of accounts) {
        const { id } = account;
        if (Object.keys(visit(account)).length === 0) continue;
        await commits.write(({ db: tx }) => accountRecords.change(tx, id, visit), {
          accountId: id,
        });
      }
      return slice.lastId;
    },
    async resealAfter({ db: tx, addEffect }, lastId) {
      const { accounts, ...slice } = await accountRecords.listAfter(tx, lastId, accountsPerCommit);
      if (accounts.length === 0) return slice.lastId;
      const newGroups = new Map(
        accounts.map(({ sessionGroup }) => [sessionGroup, createRandomId()]),
      );
      const toNewGroup = (group: string) => newGroups.get(group) ?? group;
      const accountRows = accounts.map((account) =>
        accountRecords.seal({
          ...account,
          ...visit(account),
          sessionGroup: toNewGroup(account.sessionGroup),
        }),
      );
      const ids = accounts.map(({ id }) => id);
      await tx.deleteFrom('accounts').where('id', 'in', ids).execute();
      await tx.insertInto('accounts').values(shuffle(accountRows)).execute();
      const sessions = await tx
        .deleteFrom('sessions')
        .where('sessionGroup', 'in', [...newGroups.keys()])
        .returningAll()
        .execute();
      const sessionRows = sessions.flatMap(({ id, sessionGroup, push, content }) => {
        const session = tryToOpen(() => sessionRecords.open({ id, content }));
        if (session && hasEnded(session)) {
          addEffect({ kind: 'sessionsEnded', accountId: session.accountId, sessionIds: [id] });
          return [];
        }
        const newContent = session ? sessionRecords.seal(session) : content;
        return { id, sessionGroup: toNewGroup(sessionGroup), push, content: newContent };
      });
      if (sessionRows.length > 0) {
        await tx.insertInto('sessions').values(shuffle(sessionRows)).execute();
      }
      return slice.lastId;
    },
  };
}
