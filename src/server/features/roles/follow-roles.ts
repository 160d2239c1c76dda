// Polls the roles, because another program grants and revokes them. Few accounts have one.
import type { Log } from '#server/base/log.ts';
import type { Database } from '#server/store/tables.ts';
import { listAllRoles, listRoles, type RoleRow } from '#server/chat/staff/roles-queries.ts';
import type { Hub } from '#server/live/hub.ts';

const pollIntervalMs = 2000;

interface Parts {
  db: Database;
  hub: Pick<Hub, 'notifyModerationChanged'>;
  log: Log;
}

export interface RoleFollower {
  /** Call it before the account's roles are read for its browser, which is then told about the next change. */
  noteRead(accountId: string): Promise<void>;
  /** Resolves when the last poll is done. */
  stop(): Promise<void>;
}

/** Notifies the open sockets of each account whose roles change. */
export async function followRoles({ db, hub, log }: Parts): Promise<RoleFollower> {
  let known = await readRoles(db);
  let isFailing = false;
  let polling: Promise<void> | null = null;

  async function poll(): Promise<void> {
    try {
      const current = await readRoles(db);
      const accountIds = [...new Set([...known.keys(), ...current.keys()])];
      hub.notifyModerationChanged(accountIds.filter((id) => known.get(id) !== current.get(id)));
      known = current;
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('roles.failed', { error });
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    polling ??= poll().finally(() => {
      polling = null;
    });
  }, pollIntervalMs);

  return {
    // A role that is granted, read and revoked between two polls would otherwise stay in the browser.
    async noteRead(accountId) {
      const rows = await listRoles(db, accountId);
      if (rows.length > 0) known.set(accountId, toText(rows));
    },
    async stop() {
      clearInterval(timer);
      await polling;
    },
  };
}

/** The roles of each account, as text that can be compared. */
async function readRoles(db: Database): Promise<Map<string, string>> {
  const all = Map.groupBy(await listAllRoles(db), ({ accountId }) => accountId);
  return new Map([...all].map(([accountId, rows]) => [accountId, toText(rows)]));
}

function toText(rows: readonly RoleRow[]): string {
  return JSON.stringify(rows.map(({ classId, role }) => `${classId} ${role}`).toSorted());
}
