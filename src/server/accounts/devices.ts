// The devices on which an account is signed in, as its owner sees them.
import { compareText } from '#contract/text-order.ts';
import { formatDay, toDate } from '#server/base/days.ts';
import type { Database } from '#server/store/tables.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';
import { hasEnded, type SessionRecords } from './session-records.ts';

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
  list(account: Pick<Account, 'id' | 'sessionId'>): Promise<Device[]>;
  /** Ends one session and its sockets. The session may already be gone. */
  signOut(commits: CallCommits, account: Account, deviceId: string): Promise<void>;
  /** Ends every session except the requesting one. */
  signOutOthers(commits: CallCommits, account: Account): Promise<void>;
}

/** @param readNotified lists the ids of the sessions that get notifications */
export function createDevices(
  db: Database,
  sessionRecords: SessionRecords,
  readNotified: (accountId: string) => Promise<ReadonlySet<string>>,
): Devices {
  const { toDeviceId } = sessionRecords;
  return {
    async list({ id, sessionId }) {
      const [devices, notifiedSessionIds] = await Promise.all([
        listDevices(db, sessionRecords, id),
        readNotified(id),
      ]);
      const notifiedIds = new Set([...notifiedSessionIds].map(toDeviceId));
      return devices
        .map((device) => ({
          ...device,
          current: device.deviceId === toDeviceId(sessionId),
          notified: notifiedIds.has(device.deviceId),
        }))
        .toSorted((a, b) => Number(b.current) - Number(a.current));
    },
    async signOut(commits, { id: accountId }, deviceId) {
      await commits.write(
        async (unitOfWork) => {
          const sessions = await sessionRecords.list(unitOfWork.db, accountId);
          const ids = sessions.map(({ id }) => id).filter((id) => toDeviceId(id) === deviceId);
          if (ids.length > 0) await sessionRecords.end(unitOfWork, accountId, { ids });
        },
        { accountId },
      );
    },
    async signOutOthers(commits, { id: accountId, sessionId }) {
      await commits.write(
        (unitOfWork) => sessionRecords.end(unitOfWork, accountId, { except: sessionId }),
        { accountId },
      );
    },
  };
}

/** Lists the device with the latest sign-in first. */
export async function listDevices(
  db: Database,
  sessionRecords: SessionRecords,
  accountId: string,
): Promise<SignedInDevice[]> {
  const sessions = await sessionRecords.list(db, accountId);
  return sessions
    .filter((session) => !hasEnded(session))
    .map(({ id, device, createdDay }) => ({
      deviceId: sessionRecords.toDeviceId(id),
      name: device,
      signedInDay: formatDay(toDate(createdDay)),
    }))
    .toSorted(
      (a, b) =>
        compareText(b.signedInDay, a.signedInDay) ||
        compareText(a.name, b.name) ||
        (a.deviceId < b.deviceId ? -1 : 1),
    );
}
