// The sessions of signed-in browsers. A browser has a random token in a signed cookie. The row has only the token's hash,
// a coarse name of the browser, and the days of the sign-in and of the end, encrypted.
import type { KeyObject } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { startOfDay } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { createSessionCookie } from './cookies.ts';
import { toDeviceName } from './device-name.ts';
import {
  deleteSessions,
  extendSession,
  findSession,
  hashToken,
  insertSession,
  listSessions,
  type FoundSession,
} from './sessions-queries.ts';

export interface NewSession {
  id: string;
  /** A `Set-Cookie` value. */
  cookie: string;
}

export interface Sessions {
  /** Tells whether the `Cookie` header has a session cookie of this server. The session may have ended. */
  hasCookie(cookieHeader: string | null): boolean;
  /** Finds the session of the request's cookie. @returns null if there is none, or if it has ended or expired */
  find(cookieHeader: string | null): Promise<FoundSession | null>;
  /** Starts a session. If the account has too many sessions, those that expire first end (AUTH-59). */
  begin(unitOfWork: UnitOfWork, accountId: string, userAgent: string): Promise<NewSession>;
  /** Tells whether the session can be extended, which is possible once a day, because only the day of the end is stored. */
  isRenewalDue(session: FoundSession): boolean;
  /**
   * Extends the session of the request's cookie.
   *
   * @returns a `Set-Cookie` value, or null if the session has ended in the meantime
   */
  renew(session: FoundSession, cookieHeader: string | null): Promise<string | null>;
  /** A `Set-Cookie` value that removes the session cookie. */
  createRemovalCookie(): string;
}

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  timesKey: KeyObject;
  cookieSecret: string;
  isHttps: boolean;
}

const dayMs = 86_400_000;
const lifetimeMs = 30 * dayMs;

/** Computes when a session that is used now ends. Only the day is stored. */
const computeEnd = () => startOfDay(new Date(Date.now() + lifetimeMs));

export function createSessions(dependencies: Dependencies): Sessions {
  const { db, commits, timesKey } = dependencies;
  const cookie = createSessionCookie(dependencies.cookieSecret, dependencies.isHttps);
  const writeCookie = (token: string) => cookie.write(token, lifetimeMs);

  return {
    hasCookie: (cookieHeader) => cookie.findToken(cookieHeader) !== null,
    async find(cookieHeader) {
      const token = cookie.findToken(cookieHeader);
      const session = token === null ? null : await findSession(db, timesKey, hashToken(token));
      return session && session.expiresAt.getTime() > Date.now() ? session : null;
    },
    async begin(unitOfWork, accountId, userAgent) {
      const token = createRandomId(24);
      const id = createRandomId(24);
      await endSurplusSessions(unitOfWork, timesKey, accountId);
      await insertSession(unitOfWork.db, timesKey, {
        id,
        accountId,
        token: hashToken(token),
        device: toDeviceName(userAgent),
        times: { createdAt: startOfDay().getTime(), expiresAt: computeEnd().getTime() },
      });
      return { id, cookie: writeCookie(token) };
    },
    isRenewalDue: ({ expiresAt }) => expiresAt.getTime() < computeEnd().getTime(),
    async renew({ accountId }, cookieHeader) {
      const token = cookie.findToken(cookieHeader);
      if (token === null) return null;
      const hasExtended = await commits.write(
        ({ db: tx }) => extendSession(tx, timesKey, hashToken(token), computeEnd()),
        { accountId },
      );
      return hasExtended ? writeCookie(token) : null;
    },
    createRemovalCookie: () => cookie.write('', 0),
  };
}

/** Ends sessions until there is room for one more. The rows have only days, so the order within one day is random. */
async function endSurplusSessions(
  unitOfWork: UnitOfWork,
  timesKey: KeyObject,
  accountId: string,
): Promise<void> {
  const sessions = await listSessions(unitOfWork.db, timesKey, accountId);
  const surplusSessions = sessions
    .map(({ id, expiresAt }) => ({ id, expiresAt, tieBreaker: Math.random() }))
    .toSorted(
      (a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || a.tieBreaker - b.tieBreaker,
    )
    .slice(0, Math.max(0, sessions.length + 1 - limits.sessions));
  if (surplusSessions.length === 0) return;
  await deleteSessions(unitOfWork, accountId, { ids: surplusSessions.map(({ id }) => id) });
}
