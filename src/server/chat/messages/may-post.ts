// Checks whether a member may write, which sanctions and the settings of the class can forbid.
import { AppError } from '#contract/errors.ts';
import { findCurrentQuietTime } from '#contract/quiet-times.ts';
import type { Database } from '#server/store/tables.ts';
import type { Member } from '#server/chat/members/member.ts';
import { toSanctionError } from '#server/chat/members/sanctions.ts';
import { findLatestPost } from './messages-queries.ts';

/** @throws {AppError} MUTED */
export function checkNotMuted({ sanction }: Pick<Member, 'sanction'>): void {
  if (sanction) throw toSanctionError(sanction);
}

/** @throws {AppError} READ_ONLY */
export function checkMayWrite({ restrictions }: Pick<Member, 'restrictions'>): void {
  if (restrictions.readOnly) throw new AppError('READ_ONLY');
  const quietTime = findCurrentQuietTime(restrictions.quietTimes, Date.now());
  if (quietTime) throw new AppError('QUIET_TIME', { sentence: quietTime.sentence });
}

/** @throws {AppError} MUTED, READ_ONLY, PICTURES_OFF */
export function checkMayUpload(member: Member): void {
  checkNotMuted(member);
  checkMayWrite(member);
  if (member.restrictions.picturesOff) throw new AppError('PICTURES_OFF');
}

/** The clocks of nodes differ by less than this (NODE-5). */
const maxClockErrorMs = 30_000;

/** @throws {AppError} MUTED, READ_ONLY, PICTURES_OFF, or SLOW_MODE with the time to wait */
export async function checkMayPost(
  db: Database,
  member: Member,
  hasPictures: boolean,
): Promise<void> {
  checkNotMuted(member);
  checkMayWrite(member);
  if (hasPictures) checkMayUpload(member);
  const pauseMs = member.restrictions.slowModeSeconds * 1000;
  if (pauseMs === 0) return;
  const now = Date.now();
  const { classId, persona } = member;
  const latestPostAt = await findLatestPost(db, classId, persona.memberId, now - pauseMs);
  // A time in the future was written while the clock was wrong, so it says nothing about the pause.
  if (latestPostAt === null || latestPostAt > now + maxClockErrorMs) return;
  const waitMs = latestPostAt + pauseMs - now;
  if (waitMs > 0) throw new AppError('SLOW_MODE', undefined, waitMs);
}
