import type { KeyObject } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { deleteSessions, findSession, listSessions } from './sessions-queries.ts';
import { hashToken } from './hashed-tokens.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  timesKey: KeyObject;
}

/**
 * Ends the sessions above the limit and their sockets, those that expire first. Rows store only days,
 * so the order within one day is random. The session with the given token is current.
 */
export async function enforceSessionLimit(
  { db, commits, timesKey }: Parts,
  accountId: string,
  token: string,
): Promise<void> {
  if ((await listSessions(db, timesKey, accountId)).length <= limits.sessions) return;
  const current = await findSession(db, timesKey, hashToken(token));
  await commits.write(
    async (unitOfWork) => {
      const sessions = await listSessions(unitOfWork.db, timesKey, accountId);
      const others = sessions
        .filter(({ id }) => id !== current?.id)
        .map(({ id, expiresAt }) => ({ id, expiresAt, tieBreaker: Math.random() }))
        .toSorted(
          (a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || a.tieBreaker - b.tieBreaker,
        );
      const surplus = others.slice(0, Math.max(0, sessions.length - limits.sessions));
      if (surplus.length === 0) return;
      await deleteSessions(unitOfWork, accountId, { ids: surplus.map(({ id }) => id) });
    },
    { accountId },
  );
}
