// The sessions of signed-in browsers. A browser has a random token in a signed cookie, with the day of its last visit. The row has
// only the token's hash, and encrypted: the account, a coarse name of the browser, and the days of the sign-in and of the end. It is
// written once a month, so that it does not change on the days of visits.
import { limits } from '#contract/limits.ts';
import { getToday, toDate } from '#server/base/days.ts';
import { createRandomId, hashToken } from '#server/base/random-id.ts';
import { shuffle } from '#server/base/shuffle.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { AccountRecord } from './account-records.ts';
import type { SessionCookie } from './cookies.ts';
import { toDeviceName } from './device-name.ts';
import { hasEnded, type SessionRecords } from './session-records.ts';

export interface NewSession {
  id: string;
  /** A `Set-Cookie` value. */
  cookie: string;
}

export interface FoundSession {
  id: string;
  accountId: string;
  email: string;
  emailVerified: boolean;
  expiresAt: Date;
  /** The last day of the stored session, in days since 1970. */
  rowEndDay: number;
}

export interface Sessions {
  /** Tells whether the `Cookie` header has a session cookie of this server. The session may have ended. */
  hasCookie(cookieHeader: string | null): boolean;
  /** Finds the session of the request's cookie. @returns null if there is none, or if it has ended or expired */
  find(cookieHeader: string | null): Promise<FoundSession | null>;
  /** Starts a session. If the account has too many sessions, those that expire first end (AUTH-59). */
  begin(
    unitOfWork: UnitOfWork,
    account: Pick<AccountRecord, 'id' | 'sessionGroup'>,
    userAgent: string,
  ): Promise<NewSession>;
  /** Tells whether the session can be extended, which is possible once a day, because the cookie has only a day. */
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

const lifetimeDays = 30; // AUTH-75
const lifetimeMs = lifetimeDays * 86_400_000;

/** Computes when a session that is used now ends. */
const computeEnd = () => getToday() + lifetimeDays;
/** Computes until when its row lasts, so that it is not written again for a month. */
const computeRowEnd = () => computeEnd() + lifetimeDays;

export function createSessions(
  db: Database,
  commits: CommitQueue,
  sessionRecords: SessionRecords,
  cookie: SessionCookie,
): Sessions {
  const writeCookie = (token: string) => cookie.write(token, getToday(), lifetimeMs);

  return {
    hasCookie: (cookieHeader) => cookie.read(cookieHeader) !== null,
    async find(cookieHeader) {
      const content = cookie.read(cookieHeader);
      const stored = content && (await sessionRecords.find(db, hashToken(content.token)));
      if (!stored) return null;
      const { id, endDay: rowEndDay } = stored.session;
      const endDay = Math.min(rowEndDay, (content.day ?? Infinity) + lifetimeDays);
      if (hasEnded({ endDay })) return null;
      const { id: accountId, email, emailVerified } = stored.account;
      return { id, accountId, email, emailVerified, expiresAt: toDate(endDay), rowEndDay };
    },
    async begin(unitOfWork, account, userAgent) {
      const token = createRandomId(24);
      const id = hashToken(token);
      await endSurplusSessions(unitOfWork, sessionRecords, account.id);
      await sessionRecords.insert(unitOfWork.db, account.sessionGroup, {
        id,
        accountId: account.id,
        device: toDeviceName(userAgent),
        createdDay: getToday(),
        endDay: computeRowEnd(),
      });
      return { id, cookie: writeCookie(token) };
    },
    isRenewalDue: ({ expiresAt }) => expiresAt.getTime() < toDate(computeEnd()).getTime(),
    async renew({ id, accountId, rowEndDay }, cookieHeader) {
      const content = cookie.read(cookieHeader);
      if (!content) return null;
      const hasExtended =
        rowEndDay >= computeEnd() ||
        (await commits.write(({ db: tx }) => sessionRecords.extend(tx, id, computeRowEnd()), {
          accountId,
        }));
      return hasExtended ? writeCookie(content.token) : null;
    },
    createRemovalCookie: () => cookie.write('', 0, 0),
  };
}

/** Ends sessions until there is room for one more. The rows have only days, so the order within one day is random. */
async function endSurplusSessions(
  unitOfWork: UnitOfWork,
  sessionRecords: SessionRecords,
  accountId: string,
): Promise<void> {
  const sessions = await sessionRecords.list(unitOfWork.db, accountId);
  const surplusSessions = shuffle(sessions)
    .toSorted((a, b) => a.endDay - b.endDay)
    .slice(0, Math.max(0, sessions.length + 1 - limits.sessions));
  if (surplusSessions.length === 0) return;
  await sessionRecords.end(unitOfWork, accountId, { ids: surplusSessions.map(({ id }) => id) });
}
