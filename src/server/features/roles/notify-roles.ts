// Notifies the open pages of an account whose roles change. Few accounts have a role, so each check reads all roles.
import { listAllRoles, listRoles } from '#server/chat/staff/stored-roles.ts';
import type { StoredRole } from '#server/store/registers.ts';
import type { Reader } from '#server/store/site.ts';
import type { Hub } from '#server/live/hub.ts';

export interface RoleNotifier {
  /** Call this before the server sends an account its roles, so that the account is notified of the next change. */
  noteRead(accountId: string): Promise<void>;
  /** Compares all roles with the known ones, and notifies the accounts whose roles have changed. */
  check(): Promise<void>;
}

export function createRoleNotifier(
  reader: Reader,
  hub: Pick<Hub, 'notifyModerationChanged'>,
): RoleNotifier {
  /** The roles of each account as text, as its browsers last received them. */
  let knownRoles = new Map<string, string>();
  return {
    // A role that is granted, read and revoked between two checks would otherwise stay in the browser.
    async noteRead(accountId) {
      const roles = await listRoles(reader, accountId);
      if (roles.length > 0) knownRoles.set(accountId, toText(roles));
    },
    async check() {
      const allRoles = await listAllRoles(reader);
      const rolesByAccount = Map.groupBy(allRoles, ({ accountId }) => accountId);
      const currentRoles = new Map(
        [...rolesByAccount].map(([accountId, roles]) => [accountId, toText(roles)]),
      );
      const accountIds = [...new Set([...knownRoles.keys(), ...currentRoles.keys()])];
      hub.notifyModerationChanged(
        accountIds.filter((id) => knownRoles.get(id) !== currentRoles.get(id)),
      );
      knownRoles = currentRoles;
    },
  };
}

function toText(roles: readonly StoredRole[]): string {
  return JSON.stringify(roles.map(({ classId, role }) => `${classId} ${role}`).toSorted());
}
