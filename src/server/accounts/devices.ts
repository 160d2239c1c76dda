// The devices on which an account is signed in, as its owner sees them.
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { deleteSessions, listSessions } from '../storage/queries/sessions.ts';
import type { Account } from './accounts.ts';

export interface Device {
  deviceId: string;
  /** For example 'Chrome on Windows'. */
  name: string;
  /** YYYY-MM-DD. */
  signedInDay: string;
  /** Whether this device sent the request. */
  current: boolean;
}

export interface Devices {
  /** Lists the requesting device first, then the others by latest sign-in. */
  list(account: Account): Promise<Device[]>;
  /** Ends one session and its sockets. The session may already be gone. */
  signOut(account: Account, deviceId: string): Promise<void>;
  /** Ends every session except the requesting one. */
  signOutOthers(account: Account): Promise<void>;
}

interface Parts {
  db: Database;
  commits: CommitQueue;
  onSessionEnded(accountId: string, sessionId: string): void;
  /** Called if the outcome of a commit that ends sessions of the account is unknown. */
  onSessionsUnknown(accountId: string): void;
}

export function createDevices({ db, commits, onSessionEnded, onSessionsUnknown }: Parts): Devices {
  async function end(account: Account, which: { only: string } | { but: string }): Promise<void> {
    const ended = await commits
      .write((write) => deleteSessions(write.db, account.id, which))
      .catch((error: unknown) => {
        onSessionsUnknown(account.id);
        throw error;
      });
    for (const sessionId of ended) onSessionEnded(account.id, sessionId);
  }

  return {
    async list({ id, sessionId }) {
      const sessions = await listSessions(db, id);
      return sessions
        .filter(({ expiresAt }) => expiresAt.getTime() > Date.now())
        .map((session) => ({
          deviceId: session.id,
          name: session.device ?? 'A browser',
          signedInDay: dayOf(session.createdAt),
          current: session.id === sessionId,
        }))
        .toSorted(
          (a, b) =>
            Number(b.current) - Number(a.current) ||
            b.signedInDay.localeCompare(a.signedInDay) ||
            a.name.localeCompare(b.name) ||
            a.deviceId.localeCompare(b.deviceId),
        );
    },
    signOut: (account, deviceId) => end(account, { only: deviceId }),
    signOutOthers: (account) => end(account, { but: account.sessionId }),
  };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
