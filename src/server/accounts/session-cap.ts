import { limits } from '#contract/limits.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { deleteSessions, findSession, listSessions } from '../storage/queries/sessions.ts';
import { hashToken } from './hashed-tokens.ts';

interface Parts {
  db: Database;
  commits: CommitQueue;
  onSessionEnded(accountId: string, sessionId: string): void;
}

/**
 * Ends the sessions above the limit and their sockets, those that expire first. Rows store only days,
 * so the order within one day is random. The session with the given token is kept.
 */
export async function endSurplusSessions(
  { db, commits, onSessionEnded }: Parts,
  accountId: string,
  token: string,
): Promise<void> {
  if ((await listSessions(db, accountId)).length <= limits.sessions) return;
  const kept = await findSession(db, hashToken(token));
  const ended = await commits.write(async (write) => {
    const sessions = await listSessions(write.db, accountId);
    const others = sessions
      .filter(({ id }) => id !== kept?.id)
      .map(({ id, expiresAt }) => ({ id, expiresAt, chance: Math.random() }))
      .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || a.chance - b.chance);
    const surplus = others.slice(0, Math.max(0, sessions.length - limits.sessions));
    if (surplus.length === 0) return [];
    return deleteSessions(write.db, accountId, { these: surplus.map(({ id }) => id) });
  });
  for (const sessionId of ended) onSessionEnded(accountId, sessionId);
}
