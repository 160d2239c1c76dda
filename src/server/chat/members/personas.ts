// Changes a member's persona in a class, and lists the personas of a class.
import { defaultName } from '#contract/default-name.ts';
import { isMemberIcon, findPersonaNameError, tidyPersonaName } from '#contract/persona.ts';
import type { Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { findPersona, isNameKeyTaken, savePersona } from './personas-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import { chooseInitialIcon } from './initial-icon.ts';
import { getMember, type Actor } from './member.ts';
import { isStaffName } from '#server/chat/staff/roles.ts';
import { isTileName, toPersonaNameKey } from './persona-name-key.ts';
import { isReserved } from './reserved-names.ts';

/** A change of a persona. Omitted fields stay as they are. */
export interface PersonaChange {
  anonymousName?: string | undefined;
  icon?: string | undefined;
}

const defaultNameKey = toPersonaNameKey(defaultName);

/**
 * Changes the persona. From then on, other members see it, even if it had not appeared before.
 *
 * @param appName the app's name on this server, which is reserved
 * @returns the updated persona
 * @throws {AppError} NOT_FOUND, CLASS_ENDED, NAME_EMPTY, NAME_TOO_LONG, NAME_CHARACTERS, NAME_RESERVED,
 *   NAME_OF_TILE, NAME_TAKEN, INVALID, READ_ONLY
 */
export async function changePersona(
  unitOfWork: UnitOfWork,
  { accountId, classId }: Actor,
  change: PersonaChange,
  appName: string,
): Promise<Persona> {
  const { db } = unitOfWork;
  const member = await getMember(unitOfWork, accountId, classId);
  const { persona: previousPersona, hasAppeared } = member;
  const { memberId } = previousPersona;
  const requestedName = tidyPersonaName(change.anonymousName ?? previousPersona.anonymousName);
  // A member keeps an existing name, even if a later rule rejects it.
  const isRenamed = requestedName !== previousPersona.anonymousName;
  const anonymousName = isRenamed
    ? parseName(requestedName, appName)
    : previousPersona.anonymousName;
  const requestedIcon = change.icon ?? previousPersona.icon;
  if (!isMemberIcon(memberId, requestedIcon)) {
    throw new AppError('NO_SUCH_ICON');
  }
  if (anonymousName === previousPersona.anonymousName && requestedIcon === previousPersona.icon) {
    return previousPersona;
  }
  checkNotMuted(member);
  // A name can be a message, too, so a class that is read-only allows no change.
  checkMayWrite(member);
  const nameKey = isRenamed ? toNameKey(anonymousName) : await findNameKey(db, classId, memberId);
  if (isRenamed && nameKey !== null && (await isNameKeyTaken(db, classId, nameKey, memberId))) {
    throw new AppError('NAME_TAKEN');
  }

  const isIconChosen = hasAppeared || change.icon !== undefined;
  const icon = isIconChosen ? requestedIcon : await chooseInitialIcon(db, classId, memberId);
  const persona: Persona = { memberId, anonymousName, icon };
  const { seq, id } = await appendToLog(db, classId, 'persona', memberId);
  // This check comes after `appendToLog`, which locks the class, because a role of staff may be granted at the same time.
  if (isRenamed && nameKey !== null && (await isStaffName(unitOfWork, classId, nameKey))) {
    throw new AppError('NAME_TAKEN');
  }
  await savePersona(db, classId, persona, nameKey);
  if (hasAppeared) unitOfWork.contentErased();
  unitOfWork.publish(classId, { kind: 'persona', seq, id, persona });
  return persona;
}

function toNameKey(name: string): string | null {
  return name === defaultName ? null : toPersonaNameKey(name);
}

async function findNameKey(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
): Promise<string | null> {
  return (await findPersona(db, classId, memberId))?.nameKey ?? null;
}

function parseName(name: string, appName: string): string {
  const error = findPersonaNameError(name);
  if (error) throw new AppError(error);
  // A name that looks like the default name becomes the default name.
  if (toPersonaNameKey(name) === defaultNameKey) return defaultName;
  // An earlier version showed unnamed members with a tag, as 'Anonymous C4'.
  if (toPersonaNameKey(name.slice(0, -2)) === defaultNameKey) throw new AppError('NAME_TAKEN');
  if (isTileName(name)) throw new AppError('NAME_OF_TILE');
  if (isReserved(name, appName)) throw new AppError('NAME_RESERVED');
  return name;
}
