// The devices on which an account is signed in, as its owner sees them.
import type { KeyObject } from 'node:crypto';
import { compareText } from '#contract/text-order.ts';
import { formatDay } from '#server/base/days.ts';
import type { Database } from '#server/store/tables.ts';
import { deleteSessions, listSessions } from './sessions-queries.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';

export interface SignedInDevice {
  deviceId: string;
  /** Browser and system, for example 'Chrome on Windows'. */
  name: string;
  /** YYYY-MM-DD. */
  signedInDay: string;
}

export interface Device extends SignedInDevice {
  /** Whether this device sent the request. */
  current: boolean;
  /** Whether the device gets notifications. */
  notified: boolean;
}

export interface Devices {
  /** Lists the requesting device first, then the others by latest sign-in. */
  list(account: Account): Promise<Device[]>;
  /** Ends one session and its sockets. The session may already be gone. */
  signOut(commits: CallCommits, account: Account, deviceId: string): Promise<void>;
  /** Ends every session except the requesting one. */
  signOutOthers(commits: CallCommits, account: Account): Promise<void>;
}

interface Dependencies {
  db: Database;
  timesKey: KeyObject;
  /** Lists the ids of the sessions that get notifications. */
  readNotified(accountId: string): Promise<ReadonlySet<string>>;
}

export function createDevices(dependencies: Dependencies): Devices {
  const { db, timesKey, readNotified } = dependencies;

  const endSessions = (
    commits: CallCommits,
    accountId: string,
    sessions: { id: string } | { except: string },
  ) =>
    commits.write((unitOfWork) => deleteSessions(unitOfWork, accountId, sessions), { accountId });

  return {
    async list({ id, sessionId }) {
      const [devices, notifiedSessionIds] = await Promise.all([
        listDevices(db, timesKey, id),
        readNotified(id),
      ]);
      return devices
        .map((device) => ({
          ...device,
          current: device.deviceId === sessionId,
          notified: notifiedSessionIds.has(device.deviceId),
        }))
        .toSorted((a, b) => Number(b.current) - Number(a.current));
    },
    signOut: (commits, { id }, deviceId) => endSessions(commits, id, { id: deviceId }),
    signOutOthers: (commits, { id, sessionId }) => endSessions(commits, id, { except: sessionId }),
  };
}

/** Lists the device with the latest sign-in first. */
export async function listDevices(
  db: Database,
  timesKey: KeyObject,
  accountId: string,
): Promise<SignedInDevice[]> {
  const sessions = await listSessions(db, timesKey, accountId);
  return sessions
    .filter(({ expiresAt }) => expiresAt.getTime() > Date.now())
    .map((session) => ({
      deviceId: session.id,
      name: session.device ?? 'A browser',
      signedInDay: formatDay(session.createdAt),
    }))
    .toSorted(
      (a, b) =>
        compareText(b.signedInDay, a.signedInDay) ||
        compareText(a.name, b.name) ||
        (a.deviceId < b.deviceId ? -1 : 1),
    );
}
