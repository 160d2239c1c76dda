// The only table of rights: which role may do what.
import { AppError } from '#contract/errors.ts';
import type { Who } from '#contract/http.ts';
import type { Role } from '#contract/moderation.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { StoredRole } from '#server/store/registers.ts';
import type { Reader } from '#server/store/site.ts';
import { listHeldRoles, type StaffAccount } from './roles.ts';

/** The roles that have each right. A moderator or staff has it only in the class of the role, an operator in all classes. */
const rights = {
  seeQueue: ['moderator', 'operator'],
  decide: ['moderator', 'operator'],
  sanction: ['moderator', 'operator'],
  suspend: ['operator'],
  changeClassSettings: ['moderator', 'operator'],
  unmask: ['operator'],
  administer: ['operator'],
  markAnswer: ['staff', 'moderator', 'operator'],
  endorseAnswer: ['staff'],
  closePoll: ['staff', 'moderator', 'operator'],
  leadClass: ['staff', 'moderator', 'operator'],
  confirmStaff: ['staff', 'operator'],
  // An operator is no instructor of every class.
  speakAsStaff: ['staff'],
} as const satisfies Record<string, readonly Role['role'][]>;

export type Right = keyof typeof rights;

/** Who of the contract has the right to a call from a role. The rule of the call checks all others. */
const rightByWho: { readonly [W in Who]?: Right } = {
  staff: 'leadClass',
  speaker: 'speakAsStaff',
  moderator: 'changeClassSettings',
  operator: 'administer',
};

/** The classes in which an account has a right. */
export type Reach = 'all' | ReadonlySet<string>;

export function hasRight(role: Role['role'], right: Right): boolean {
  const allowedRoles: readonly string[] = rights[right];
  return allowedRoles.includes(role);
}

export async function listRolesWith(
  reader: Reader,
  account: StaffAccount,
  right: Right,
): Promise<StoredRole[]> {
  return (await listHeldRoles(reader, account)).filter(({ role }) => hasRight(role, right));
}

export function toReach(roles: readonly StoredRole[]): Reach {
  if (roles.some(({ classId }) => classId === null)) return 'all';
  return new Set(roles.flatMap(({ classId }) => classId ?? []));
}

export async function findReach(
  reader: Reader,
  account: StaffAccount,
  right: Right,
): Promise<Reach> {
  return toReach(await listRolesWith(reader, account, right));
}

/**
 * @param classId null for a right that is not about one class
 * @returns the name under which the action appears in the audit log
 * @throws {AppError} NOT_FOUND if the class is missing or deleted, NOT_ALLOWED
 */
export async function checkRight(
  reader: Reader,
  account: StaffAccount,
  classId: string | null,
  right: Right,
): Promise<string> {
  const heldRole = await findRoleWith(reader, account, classId, right);
  if (!heldRole) throw new AppError('NOT_ALLOWED');
  return heldRole.staffName;
}

/**
 * Checks the right to a call.
 *
 * @param classId the class that the call names
 * @returns the name under which the action appears in the audit log, or an empty one if the right does not come from a role
 * @throws {AppError} NOT_FOUND if the class is missing or deleted, NOT_ALLOWED
 */
export async function checkCallRight(
  reader: Reader,
  account: StaffAccount,
  who: Who,
  classId: string | null,
): Promise<string> {
  const right = rightByWho[who];
  if (!right) return '';
  // Operators also act on deleted classes.
  return checkRight(reader, account, who === 'operator' ? null : classId, right);
}

/**
 * Finds a role of the account that has the right. No one has a right in a deleted class.
 *
 * @param classId null for a right that is not about one class
 * @throws {AppError} NOT_FOUND if the class is missing or deleted
 */
export async function findRoleWith(
  reader: Reader,
  account: StaffAccount,
  classId: string | null,
  right: Right,
): Promise<StoredRole | null> {
  if (classId !== null && !(await findClass(reader.db, classId))) throw new AppError('NOT_FOUND');
  const roles = await listRolesWith(reader, account, right);
  return roles.find((role) => role.classId === null || role.classId === classId) ?? null;
}
