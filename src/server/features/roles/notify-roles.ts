// Notifies the open pages of an account whose roles change. Few accounts have one.
import type { Database } from '#server/store/tables.ts';
import { listAllRoles, listRoles, type RoleRow } from '#server/chat/staff/roles-queries.ts';
import type { Hub } from '#server/live/hub.ts';

export interface RoleNotifier {
  /** Call it before the account's roles are read for its browser, which is then told about the next change. */
  noteRead(accountId: string): Promise<void>;
  /** Reads all roles, because some may have changed. */
  check(): Promise<void>;
}

export function createRoleNotifier(
  db: Database,
  hub: Pick<Hub, 'notifyModerationChanged'>,
): RoleNotifier {
  /** The roles of each account as text, as its browsers know them. */
  let knownRoles = new Map<string, string>();
  return {
    // A role that is granted, read and revoked between two checks would otherwise stay in the browser.
    async noteRead(accountId) {
      const rows = await listRoles(db, accountId);
      if (rows.length > 0) knownRoles.set(accountId, toText(rows));
    },
    async check() {
      const all = Map.groupBy(await listAllRoles(db), ({ accountId }) => accountId);
      const current = new Map([...all].map(([accountId, rows]) => [accountId, toText(rows)]));
      const accountIds = [...new Set([...knownRoles.keys(), ...current.keys()])];
      hub.notifyModerationChanged(
        accountIds.filter((id) => knownRoles.get(id) !== current.get(id)),
      );
      knownRoles = current;
    },
  };
}

function toText(rows: readonly RoleRow[]): string {
  return JSON.stringify(rows.map(({ classId, role }) => `${classId} ${role}`).toSorted());
}
