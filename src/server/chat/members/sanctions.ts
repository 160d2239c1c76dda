// Sanctions are on personas. Membership checks reject by memberId, so no row of an account changes.
import type { Sanction } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Database } from '#server/store/tables.ts';
import { insertSanction, listSanctions, type SanctionRow } from './sanctions-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';

const hourMs = 60 * 60_000;

export type NewSanction = { kind: 'mute'; hours: number } | { kind: 'removed' };

/** Finds the sanction that applies to the member now: a removal, or the mute that ends last. */
export async function findCurrentSanction(
  db: Database,
  classId: string,
  memberId: string,
): Promise<Sanction | null> {
  const activeSanctions = (await listSanctions(db, classId, memberId)).filter(isActive);
  const toEnd = ({ until }: SanctionRow) => until ?? Infinity;
  const [last] = activeSanctions.toSorted((first, second) => toEnd(second) - toEnd(first));
  return last ? { kind: last.kind, until: last.until, reason: last.reason } : null;
}

export function isActive({ status, until }: SanctionRow): boolean {
  return status === 'active' && (until === null || until > Date.now());
}

/** Turns a removal of staff into a mute: removed staff can still read, and post with their other persona. */
export function toMute(sanction: Sanction): Sanction {
  return { ...sanction, kind: 'mute' };
}

/** The error for a request that the sanction forbids. */
export function toSanctionError(sanction: Sanction): AppError {
  const code = sanction.kind === 'mute' ? 'MUTED' : 'REMOVED_FROM_CLASS';
  return new AppError(code, undefined, undefined, sanction);
}

/** A decision on a sanction: who decided, about whom, and why. */
export interface SanctionOrder {
  classId: string;
  memberId: string;
  caseId: string;
  staffName: string;
  reason: string;
}

/** Adds a sanction when its decision takes effect, which is also the start of a mute. */
export async function addSanction(
  unitOfWork: UnitOfWork,
  order: SanctionOrder,
  sanction: NewSanction,
): Promise<void> {
  const { db } = unitOfWork;
  const { kind } = sanction;
  await insertSanction(db, {
    ...order,
    sanctionId: createRandomId(),
    kind,
    until: sanction.kind === 'mute' ? Date.now() + sanction.hours * hourMs : null,
    day: getToday(),
    status: 'active',
  });
  await appendChangeEvent(unitOfWork, 'staff-changed', order.classId);
  await appendAudit(unitOfWork, { ...order, act: kind === 'mute' ? 'mute' : 'remove-member' });
}
