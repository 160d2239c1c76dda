// Who moderates, and who speaks as staff. A role belongs to an account and says nothing about its anonymous personas.
import { AppError } from '#contract/errors.ts';
import { toClassLabel } from '#contract/class-label.ts';
import type { GrantedRole, Role } from '#contract/moderation.ts';
import { limits } from '#contract/limits.ts';
import { defaultName } from '#contract/default-name.ts';
import { findPersonaNameError, tidyPersonaName } from '#contract/persona.ts';
import { isPlainLine } from '#contract/text.ts';
import { getRegisters, type StoredRole } from '#server/store/registers.ts';
import type { Reader } from '#server/store/site.ts';
import {
  deleteRoles,
  listAllRoles,
  listRoles,
  saveRole,
  type AccountRole,
} from './stored-roles.ts';
import { findClass, lockClass } from '#server/chat/classes/classes-queries.ts';
import { deletePresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import { isNameKeyOfMember } from '#server/chat/members/personas-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { isTileName, toPersonaNameKey } from '#server/chat/members/persona-name-key.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import { administratorName, appendAudit } from './audit-log.ts';
import { deriveModerationKeys } from './keys.ts';

export interface StaffAccount {
  id: string;
  email: string;
}

export interface Operator {
  email: string;
  /** Null if the address has no account. */
  accountId: string | null;
  /** The name in the audit log. */
  staffName: string;
  /** Whether the setting OPERATORS names the address, and no command granted the role. */
  isConfigured: boolean;
}

/** The staff name of the operators that the setting OPERATORS names. */
const configuredOperatorName = 'Operator';

/** Lists the roles of an account, with that of an operator whom OPERATORS names. */
export async function listHeldRoles(
  reader: Reader,
  { id, email }: StaffAccount,
): Promise<readonly StoredRole[]> {
  const { operators, accountRecords } = reader.site;
  const storedRoles = await listRoles(reader, id);
  const isOperator = storedRoles.some(({ role }) => role === 'operator');
  if (isOperator || !operators.includes(email.toLowerCase())) return storedRoles;
  // The account may have been deleted or have another address since the call began.
  const configuredAccounts = await accountRecords.listIds(reader.db, operators);
  if (!configuredAccounts.some(({ accountId }) => accountId === id)) return storedRoles;
  return [{ classId: null, role: 'operator', staffName: configuredOperatorName }, ...storedRoles];
}

/** The roles of those who moderate the class, or if `classId` is null, all classes. */
async function listModerators(reader: Reader, classId: string | null): Promise<AccountRole[]> {
  const allRoles = await listAllRoles(reader);
  const classIds = [classId, null];
  return allRoles.filter((held) => held.role !== 'staff' && classIds.includes(held.classId));
}

/**
 * Lists the accounts that moderate the class.
 *
 * @param classId null for those that moderate all classes
 */
export async function listStaff(reader: Reader, classId: string | null): Promise<string[]> {
  const { operators, accountRecords } = reader.site;
  const storedIds = (await listModerators(reader, classId)).map(({ accountId }) => accountId);
  const configuredIds = (await accountRecords.listIds(reader.db, operators)).map(
    ({ accountId }) => accountId,
  );
  return [...new Set([...storedIds, ...configuredIds])];
}

/** Lists the accounts of all operators. */
export function listOperatorIds(reader: Reader): Promise<string[]> {
  return listStaff(reader, null);
}

/** Lists all operators. Those that OPERATORS names may have no account. */
export async function listOperators(reader: Reader): Promise<Operator[]> {
  const { operators, accountRecords } = reader.site;
  const allOperators = new Map<string, Operator>();
  const configured = { staffName: configuredOperatorName, isConfigured: true };
  for (const email of operators) {
    allOperators.set(email, { email, accountId: null, ...configured });
  }
  for (const account of await accountRecords.listIds(reader.db, operators)) {
    allOperators.set(account.email, { ...account, ...configured });
  }
  const granted = await listModerators(reader, null);
  const accounts = await accountRecords.listById(
    reader.db,
    granted.map(({ accountId }) => accountId),
  );
  const staffNames = new Map(granted.map(({ accountId, staffName }) => [accountId, staffName]));
  for (const { id: accountId, email } of accounts) {
    const staffName = staffNames.get(accountId) ?? '';
    allOperators.set(email, { email, accountId, staffName, isConfigured: false });
  }
  return [...allOperators.values()];
}

/** The account that gets a role, the class, and the operator who grants it. */
interface Grant<ClassId = string> {
  accountId: string;
  classId: ClassId;
  staffName: string;
  /** The operator's name, or `administratorName`. */
  operatorName: string;
  /** The list of `grant-roles` that grants it; for a revocation, only a role of this list. */
  list?: StoredRole['list'];
}

interface Revocation extends Omit<Grant<string | null>, 'staffName'> {
  /** Null for all roles in the class. */
  role: Role['role'] | null;
}

/**
 * Makes the account a moderator of the class, or if `classId` is null, an operator. The role and its audit entry can share a
 * commit, because neither names a persona.
 *
 * @throws {AppError} INVALID if the staff name is not allowed
 */
export async function grantRole(
  unitOfWork: UnitOfWork,
  { accountId, classId, staffName, operatorName, list }: Grant<string | null>,
): Promise<void> {
  const name = staffName.trim();
  if (name === '' || name.length > limits.staffName || !isPlainLine(name) || name.includes('@')) {
    throw new AppError('STAFF_NAME');
  }
  const role = classId === null ? 'operator' : 'moderator';
  await saveRole(unitOfWork, { accountId, classId, role, staffName: name, list });
  await appendChangeEvent(unitOfWork, 'staff-changed', classId ?? '');
  await appendAudit(unitOfWork, {
    staffName: operatorName,
    act: `grant-${role}`,
    classId,
    reason: name,
  });
}

/** Tells whether the name looks like the name of someone who may speak as staff in the class. */
export async function isStaffName(
  reader: Reader,
  classId: string,
  nameKey: string,
  exceptAccountId = '',
): Promise<boolean> {
  const allRoles = await listAllRoles(reader);
  return allRoles.some(
    (held) =>
      held.classId === classId &&
      held.role === 'staff' &&
      held.accountId !== exceptAccountId &&
      toPersonaNameKey(held.staffName) === nameKey,
  );
}

/**
 * @param showsTaken false for a person who must not learn which names the class has
 * @returns the name without spaces around it
 * @throws {AppError} NAME_EMPTY, NAME_TOO_LONG, NAME_CHARACTERS, NAME_OF_TILE, NAME_TAKEN
 */
export async function checkStaffName(
  reader: Reader,
  { accountId, classId, staffName }: Omit<Grant, 'operatorName'>,
  showsTaken = true,
): Promise<string> {
  const name = tidyPersonaName(staffName);
  // No email address passes this check, because a name has no '@'.
  const error = findPersonaNameError(name);
  if (error) throw new AppError(error);
  const nameKey = toPersonaNameKey(name);
  if (nameKey === toPersonaNameKey(defaultName)) throw new AppError('NAME_TAKEN');
  if (isTileName(name)) throw new AppError('NAME_OF_TILE');
  if (!showsTaken) return name;
  const isTaken = await isNameKeyOfMember(reader.db, classId, nameKey);
  if (isTaken || (await isStaffName(reader, classId, nameKey, accountId))) {
    throw new AppError('NAME_TAKEN');
  }
  return name;
}

/**
 * Lets the account speak as staff in the class. From now on no member can take the name.
 *
 * @throws {AppError} NAME_EMPTY, NAME_TOO_LONG, NAME_CHARACTERS, NAME_OF_TILE; NAME_TAKEN if a member or other staff of the class has the name
 */
export async function grantStaff(
  unitOfWork: UnitOfWork,
  { accountId, classId, staffName, operatorName, list }: Grant,
): Promise<void> {
  const { db } = unitOfWork;
  await lockClass(db, classId);
  const name = await checkStaffName(unitOfWork, { accountId, classId, staffName });
  await saveRole(unitOfWork, { accountId, classId, role: 'staff', staffName: name, list });
  await appendChangeEvent(unitOfWork, 'staff-changed', classId);
  await appendAudit(unitOfWork, {
    staffName: operatorName,
    act: 'grant-staff',
    classId,
    reason: name,
  });
}

/**
 * Deletes the roles, with what their accounts prepared for lectures, and the presenter links that they may have made: every role
 * has the right. Nothing stores who made a link, so the other links of the classes end, too.
 *
 * @returns the deleted roles
 */
export async function endRoles(
  unitOfWork: UnitOfWork,
  isEnding: Parameters<typeof deleteRoles>[1],
): Promise<StoredRole[]> {
  const endedRoles = await deleteRoles(unitOfWork, isEnding);
  for (const { accountId, classId, role } of endedRoles) {
    await deletePresenterLinks(unitOfWork.db, classId);
    if (role === 'staff' && classId !== null) {
      await deletePreparedItems(unitOfWork, classId, accountId);
    }
  }
  unitOfWork.contentErased();
  return endedRoles;
}

async function deletePreparedItems(
  { db, site: { keys } }: UnitOfWork,
  classId: string,
  accountId: string,
): Promise<void> {
  const registers = getRegisters(keys.personas);
  if (!(await registers.read(db, 'prepared', classId)).has(accountId)) return;
  await registers.change(db, 'prepared', classId, (entries) => entries.delete(accountId));
}

/**
 * Revokes a role of the account in the class, or all of them. Messages that the account wrote as staff keep name and badge.
 *
 * @throws {AppError} NOT_FOUND if the account has no such role
 */
export async function revokeRole(
  unitOfWork: UnitOfWork,
  { accountId, classId, role, operatorName, list }: Revocation,
): Promise<void> {
  const revokedRoles = await endRoles(
    unitOfWork,
    (held) =>
      held.accountId === accountId &&
      held.classId === classId &&
      (role === null || held.role === role) &&
      (list === undefined || held.list === list),
  );
  if (revokedRoles.length === 0) throw new AppError('NOT_FOUND');
  await appendChangeEvent(unitOfWork, 'staff-changed', classId ?? '');
  for (const { staffName: reason } of revokedRoles) {
    await appendAudit(unitOfWork, { staffName: operatorName, act: 'revoke-role', classId, reason });
  }
}

/** The roles that operators can revoke, by class and name. */
export async function listGrantedRoles(
  reader: Reader,
): Promise<(GrantedRole & Pick<AccountRole, 'accountId' | 'list'>)[]> {
  const { roles: key } = deriveModerationKeys(reader.site.keys.personas);
  const grantedRoles = [];
  for (const { accountId, classId, role, staffName, list } of await listAllRoles(reader)) {
    const foundClass = classId === null ? null : await findClass(reader.db, classId);
    if (role === 'operator' || classId === null || !foundClass) continue;
    const roleId = computeId(key, `${classId} ${role}`, accountId);
    grantedRoles.push({
      accountId,
      roleId,
      classId,
      label: toClassLabel(foundClass),
      role,
      staffName,
      list,
    });
  }
  const toSortKey = ({ label, staffName, roleId }: GrantedRole) =>
    [label, staffName, roleId].join(' ');
  return grantedRoles.toSorted((first, second) => (toSortKey(first) < toSortKey(second) ? -1 : 1));
}

/**
 * Revokes the role of an operator, by command.
 *
 * @throws {AppError} NOT_FOUND if the account has no such role, NOT_ALLOWED if no operator would be left
 */
export async function revokeOperator(unitOfWork: UnitOfWork, accountId: string): Promise<void> {
  const operatorName = administratorName;
  await revokeRole(unitOfWork, { accountId, classId: null, role: null, operatorName });
  if ((await listOperatorIds(unitOfWork)).length > 0) return;
  throw new AppError('LAST_OPERATOR');
}
