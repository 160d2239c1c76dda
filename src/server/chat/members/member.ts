// Finds the member that an account is in a class, and the rights and limits that the member has there.
import { defaultName } from '#contract/default-name.ts';
import type { Persona, Sanction, StaffSelf } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import {
  deriveId,
  computeMemberId,
  findRecentId,
  isCaseAskerId,
  rememberSalt,
} from './member-ids.ts';
import { getRegisters } from '#server/store/registers.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { listAllClasses, type ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import {
  findMembership,
  type FoundMembership,
  type Restrictions,
} from '#server/chat/classes/classes-queries.ts';
import { findPersona, type PersonaRow } from './personas-queries.ts';
import { toMute, findCurrentSanction, toSanctionError } from './sanctions.ts';
import { hasRight } from '#server/chat/staff/rights.ts';
import { deriveStaffId, computeStaffId } from './staff-ids.ts';

/** The account that makes a change, and the class. */
export interface Actor {
  accountId: string;
  classId: string;
}

/** The persona under which an account speaks as staff in a class. */
export interface StaffMember {
  persona: Persona;
  /** Whether the account may speak as staff; false after the role was revoked. */
  maySpeak: boolean;
  /** The name that others see; null until the first message as staff. */
  shownName: string | null;
  sanction: Sanction | null;
}

/** An account's membership of a class, with the head of the class's log. */
export interface Member {
  classId: string;
  persona: Persona;
  /** False until others can see the persona: after the first message, reaction or rename. */
  hasAppeared: boolean;
  head: number;
  classSalt: string;
  restrictions: Restrictions;
  /** A mute that has not ended. After a removal, the account is no member, unless it may speak as staff. */
  sanction: Sanction | null;
  /** Null unless the account may speak or has spoken as staff. */
  staff: StaffMember | null;
}

/**
 * Reads the membership and the persona in one query, with the cached memberId. Only ids and opened registers are cached. The row
 * says which version of the register holds and whether the id is valid, so no right outlives its end (decision 38).
 *
 * The removal of an anonymous persona does not end the membership of an account that may speak as staff. Otherwise the class
 * could see that the persona and the staff persona fall silent at the same time, and belong together (decision 47).
 *
 * @throws {AppError} NOT_FOUND if the account is not a member, even if the class exists; REMOVED_FROM_CLASS
 */
export async function getMember(
  { db, site: { keys } }: Reader,
  accountId: string,
  classId: string,
): Promise<Member> {
  const personaKey = keys.personas;
  let derivedId = findRecentId(personaKey, accountId, classId);
  for (;;) {
    const memberId = derivedId?.id ?? '';
    const staffId = derivedId ? deriveStaffId(personaKey, derivedId.salt, accountId, classId) : '';
    const membership = await findMembership(db, getRegisters(personaKey), {
      accountId,
      classId,
      memberId,
      staffId,
    });
    if (!membership) throw new AppError('NOT_FOUND');
    const { salt, seq, persona, sanctionedUntil, restrictions } = membership;
    if (derivedId?.salt === salt) {
      const isSanctioned = sanctionedUntil !== null && sanctionedUntil > Date.now();
      const currentSanction = isSanctioned
        ? await findCurrentSanction(db, classId, memberId)
        : null;
      const staff = await findStaffMember(db, classId, staffId, membership);
      if (currentSanction?.kind === 'removed' && !staff?.maySpeak) {
        throw toSanctionError(currentSanction);
      }
      const sanction = currentSanction && toMute(currentSanction);
      const { anonymousName, icon } = persona ?? { anonymousName: defaultName, icon: memberId };
      return {
        classId,
        persona: { memberId, anonymousName, icon },
        hasAppeared: persona !== null,
        head: seq,
        classSalt: salt,
        restrictions,
        sanction,
        staff,
      };
    }
    rememberSalt(classId, salt);
    derivedId = deriveId(personaKey, salt, accountId, classId);
  }
}

async function findStaffMember(
  db: Database,
  classId: string,
  memberId: string,
  { staffName, staffPersonaName: shownName }: FoundMembership,
): Promise<StaffMember | null> {
  const anonymousName = staffName ?? shownName;
  if (anonymousName === null) return null;
  const currentSanction = await findCurrentSanction(db, classId, memberId);
  return {
    persona: { memberId, anonymousName, icon: memberId, staff: true },
    maySpeak: staffName !== null && hasRight('staff', 'speakAsStaff'),
    shownName,
    sanction: currentSanction && toMute(currentSanction),
  };
}

/** What the account's own browsers learn of its staff persona. */
export function toStaffSelf({ persona, maySpeak, sanction }: StaffMember): StaffSelf {
  return { persona, maySpeak, ...(sanction && { sanction }) };
}

/** @returns null if the account is no member, has just left, or was removed by moderators */
export async function findMember(
  reader: Reader,
  accountId: string,
  classId: string,
): Promise<Member | null> {
  try {
    return await getMember(reader, accountId, classId);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Tells whether the memberId is one of the member's personas, anonymous or as staff. */
export function hasMemberId({ persona, staff }: Member, memberId: string): boolean {
  return memberId === persona.memberId || memberId === staff?.persona.memberId;
}

/**
 * Gets the member as the author of a message.
 *
 * @throws {AppError} NOT_ALLOWED if `asStaff` is true and the member may not speak as staff
 */
export function getSpeaker(member: Member, asStaff: boolean): Member {
  if (!asStaff) return member;
  const { staff } = member;
  if (!staff?.maySpeak) {
    throw new AppError('STAFF_VOICE_ENDED');
  }
  const { persona, shownName, sanction } = staff;
  return { ...member, persona, hasAppeared: shownName === persona.anonymousName, sanction };
}

/**
 * Tells whether the memberId is one of the account's: anonymous, as staff, or of its private questions. For each account, as much is
 * computed, so the time tells nothing.
 */
export function hasPersona(
  keys: Pick<ServerKeys, 'personas' | 'questionVotes'>,
  classSalt: string,
  accountId: string,
  memberId: string,
): boolean {
  const isPersona = [computeMemberId, computeStaffId]
    .map((computeId) => computeId(keys.personas, classSalt, accountId))
    .includes(memberId);
  return isCaseAskerId(keys.questionVotes, classSalt, accountId, memberId) || isPersona;
}

/** A class with the persona that an account has or had in it. */
export interface ClassWithPersona {
  class: ClassRow;
  memberId: string;
  /** Null if the account has not appeared in the class. */
  persona: PersonaRow | null;
  /** Null if the account has not spoken as staff in the class. */
  staffPersona: PersonaRow | null;
}

/**
 * Lists every class, left and deleted ones included, with the account's persona in it. No table links an account to its personas,
 * so their memberIds are computed for each class.
 */
export async function* listClassesWithPersona(
  { db, site: { keys } }: Reader,
  accountId: string,
): AsyncGenerator<ClassWithPersona> {
  for await (const row of listAllClasses(db)) {
    const memberId = computeMemberId(keys.personas, row.salt, accountId);
    const staffId = computeStaffId(keys.personas, row.salt, accountId);
    yield {
      class: row,
      memberId,
      persona: await findPersona(db, row.classId, memberId),
      staffPersona: await findPersona(db, row.classId, staffId),
    };
  }
}
