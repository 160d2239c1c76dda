// What the person concerned sees of sanctions, and the appeal against one.
import { toClassLabel } from '#contract/class-label.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import { isPlainText } from '#contract/text.ts';
import { toDate, formatDay } from '#server/base/days.ts';
import type { Reader, Site } from '#server/store/site.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { findReviewBySubject, type ReviewRow } from './reviews-queries.ts';
import { listAllSanctions } from '#server/chat/members/sanctions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { computeMemberId, isCaseAskerId } from '#server/chat/members/member-ids.ts';
import { computeStaffId } from '#server/chat/members/staff-ids.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { addReview, toReviewEffect, decryptText } from './reviews.ts';
import { isActive } from '#server/chat/members/sanctions.ts';
import type { SuspendedAccounts } from '#server/chat/staff/suspended-accounts.ts';
import { isInForce, type SuspendableAccount } from '#server/chat/staff/suspensions.ts';

/** A sanction with its place. */
interface FoundSanction extends Omit<OwnSanction, 'label' | 'appeal' | 'day'> {
  memberId: string;
  caseId: string;
  /** Days since 1970. */
  day: number;
}

type Suspensions = Pick<SuspendedAccounts, 'listSuspensions'>;

/** Lists the sanctions of the account's personas, and its suspensions, newest first. */
export async function listOwnSanctions(
  reader: Reader,
  suspendedAccounts: Suspensions,
  account: SuspendableAccount,
): Promise<OwnSanction[]> {
  const { db } = reader;
  const sanctions = await findSanctions(reader, suspendedAccounts, account);
  const ownSanctions: OwnSanction[] = [];
  for (const { memberId: _, caseId: __, day, ...sanction } of sanctions) {
    const appealed = await findReviewBySubject(db, sanction.sanctionId);
    const inClass = await findClass(db, sanction.classId);
    ownSanctions.push({
      ...sanction,
      day: formatDay(toDate(day)),
      label: inClass ? toClassLabel(inClass) : '',
      appeal: appealed && toAppeal(reader.site, appealed),
    });
  }
  return ownSanctions;
}

/** A decision that can still be undone counts as open. */
function toAppeal({ keys }: Site, review: ReviewRow): OwnSanction['appeal'] {
  const text = decryptText(deriveModerationKeys(keys.personas).evidence, review);
  if (review.status !== 'decided') return { text, state: 'open', reason: null };
  const state = review.decision === 'lift' ? 'lifted' : 'kept';
  return { text, state, reason: review.reason };
}

async function findSanctions(
  { db, site: { keys } }: Reader,
  suspendedAccounts: Suspensions,
  account: SuspendableAccount,
): Promise<FoundSanction[]> {
  const idsBySalt = new Map<string, { ofPersona: string; ofStaff: string }>();
  const sanctions: FoundSanction[] = [];
  for (const row of await listAllSanctions(db)) {
    const { salt, sanctionId, classId, memberId, caseId, kind, until, reason, day } = row;
    const ids = idsBySalt.get(salt) ?? {
      ofPersona: computeMemberId(keys.personas, salt, account.id),
      ofStaff: computeStaffId(keys.personas, salt, account.id),
    };
    idsBySalt.set(salt, ids);
    const isOfStaff = ids.ofStaff === memberId;
    const isOfAsker = isCaseAskerId(keys.questionVotes, salt, account.id, memberId);
    if (ids.ofPersona !== memberId && !isOfStaff && !isOfAsker) continue;
    const fields = { sanctionId, classId, memberId, caseId, kind, until, reason, day };
    sanctions.push({
      ...fields,
      active: isActive(row),
      ...(isOfStaff && { staff: true }),
      // An asker who is removed can still be in the class.
      ...(isOfAsker && { private: true, kind: 'mute' }),
    });
  }
  for (const suspension of suspendedAccounts.listSuspensions(account)) {
    const { suspensionId: sanctionId, classId, memberId, caseId, until, reason, day } = suspension;
    const fields = { sanctionId, classId, memberId, caseId, until, reason, day };
    sanctions.push({ ...fields, kind: 'suspension', active: isInForce(suspension) });
  }
  return sanctions.toSorted((a, b) => b.day - a.day || (a.sanctionId < b.sanctionId ? -1 : 1));
}

/**
 * A second appeal against the same sanction changes nothing.
 *
 * @throws {AppError} NOT_FOUND, NOTHING_TO_APPEAL, APPEAL_EMPTY, APPEAL_TOO_LONG, INVALID
 */
export async function appeal(
  unitOfWork: UnitOfWork,
  suspendedAccounts: Suspensions,
  account: SuspendableAccount,
  { sanctionId, text }: { sanctionId: string; text: string },
): Promise<void> {
  const { db, site } = unitOfWork;
  const sanction = (await findSanctions(unitOfWork, suspendedAccounts, account)).find(
    (candidate) => candidate.sanctionId === sanctionId,
  );
  if (!sanction) throw new AppError('NOT_FOUND');
  const appealText = parseAppeal(text);
  if (await findReviewBySubject(db, sanctionId)) return;
  if (!sanction.active) throw new AppError('NOTHING_TO_APPEAL');
  const { classId, memberId, caseId, kind } = sanction;
  await addReview(db, deriveModerationKeys(site.keys.personas), {
    classId,
    memberId,
    caseId,
    kind: 'appeal',
    text: appealText,
    subject: sanctionId,
    subjectKind: kind,
  });
  const { isForOperators, ...effect } = await toReviewEffect(db, sanction);
  unitOfWork.addEffect({ ...effect, isForOperators: isForOperators || kind === 'suspension' });
}

function parseAppeal(typedText: string): string {
  const text = typedText.trim();
  if (text === '') throw new AppError('APPEAL_EMPTY');
  if (Array.from(text).length > limits.appealText) throw new AppError('APPEAL_TOO_LONG');
  if (!isPlainText(text)) {
    throw new AppError('APPEAL_CHARACTERS');
  }
  return text;
}
