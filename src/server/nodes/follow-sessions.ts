// Looks in the database whether the sessions of this node's sockets still exist: another node may have ended them, and
// Redis may have lost its notice.
import type { Log } from '#server/base/log.ts';
import type { Hub } from '#server/live/hub.ts';
import type { Database } from '#server/store/tables.ts';
import { listExistingSessions } from '#server/accounts/sessions-queries.ts';

export interface SessionFollower {
  /** Looks now, after a notice. */
  check(): void;
  /** Resolves when the last look is done. */
  stop(): Promise<void>;
}

/** The suspended accounts, by their ids. */
export interface SuspendedIds {
  load(): Promise<void>;
  isSuspendedId(accountId: string): boolean;
}

interface Parts {
  db: Database;
  hub: Pick<Hub, 'listSessions' | 'endSession' | 'endSessions'>;
  suspendedAccounts: SuspendedIds;
  onEnded(sessionId: string): void;
  log: Log;
}

const intervalMs = 1_500; // NODE-8
const sessionsPerRead = 1_000;

export function followSessions(parts: Parts): SessionFollower {
  const { db, hub, suspendedAccounts, onEnded, log } = parts;
  let isFailing = false;
  let isStale = false;
  let running: Promise<void> | null = null;

  async function look(): Promise<void> {
    const sessions = hub.listSessions();
    for (let from = 0; from < sessions.length; from += sessionsPerRead) {
      const some = sessions.slice(from, from + sessionsPerRead);
      const existing = await listExistingSessions(
        db,
        some.map(({ sessionId }) => sessionId),
      );
      for (const { accountId, sessionId } of some) {
        if (existing.has(sessionId)) continue;
        onEnded(sessionId);
        hub.endSession(accountId, sessionId);
      }
    }
    await suspendedAccounts.load();
    hub.endSessions(suspendedAccounts.isSuspendedId);
  }

  async function run(): Promise<void> {
    try {
      do {
        isStale = false;
        await look();
      } while (isStale);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('revocations.failed', { error });
      isFailing = true;
    }
  }

  function check(): void {
    isStale = true;
    running ??= run().finally(() => {
      running = null;
    });
  }

  const timer = setInterval(check, intervalMs);
  return {
    check,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
