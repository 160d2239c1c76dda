// Announcements: operators make and withdraw them, and old ones are removed.
import type { AnnouncementBody, ListedAnnouncement } from '#contract/announcements.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isBlank } from '#contract/text.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  deleteEndedBefore,
  findAnnouncement,
  hasEndedBefore,
  insertAnnouncement,
  getLastAnnouncementNumber,
  listAnnouncementRows,
  listInForce,
  markWithdrawn,
  type AnnouncementRow,
} from './announcements-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Days for which operators still see an announcement after its end. */
const keptDays = 30; // ADMIN-39

/** A finer time could be matched with a message of the same operator. */
const roundToMinute = (time: number) => Math.floor(time / minuteMs) * minuteMs;

/**
 * A browser that got no reply repeats the call, which makes no second announcement.
 *
 * @param operatorName the operator's name in the audit log, or `administratorName`
 * @param status 'maintenance' lets members read and not write until the end
 * @throws {AppError} INVALID with a sentence for the operator, NOT_FOUND if the class is missing or deleted
 */
export async function announce(
  unitOfWork: UnitOfWork,
  { classId, text: typedText, endsAt: chosenEnd }: AnnouncementBody,
  operatorName: string,
  status: 'published' | 'maintenance' = 'published',
): Promise<AnnouncementRow> {
  const { db } = unitOfWork;
  const now = Date.now();
  const text = typedText.trim();
  const endsAt = roundToMinute(chosenEnd);
  if (isBlank(text)) throw new AppError('ANNOUNCEMENT_EMPTY');
  if (endsAt <= now || endsAt > now + limits.announcementDays * dayMs) {
    throw new AppError('ANNOUNCEMENT_END');
  }
  if (classId !== null && !(await findClass(db, classId))) throw new AppError('NOT_FOUND');
  const inForce = (await listInForce(db, now)).filter(
    (announcement) => announcement.classId === classId,
  );
  const duplicate = inForce.find(
    (announcement) =>
      announcement.text === text &&
      announcement.endsAt === endsAt &&
      announcement.status === status,
  );
  if (duplicate) return duplicate;
  if (inForce.length >= limits.announcementsInForce) {
    throw new AppError('TOO_MANY_ANNOUNCEMENTS');
  }
  const row: AnnouncementRow = {
    announcementId: createRandomId(),
    classId,
    text,
    endsAt,
    number: (await getLastAnnouncementNumber(db)) + 1,
    announcedAt: roundToMinute(now),
    status,
  };
  await insertAnnouncement(db, row);
  await appendChangeEvent(unitOfWork, 'announcements-changed');
  await appendAudit(unitOfWork, {
    staffName: operatorName,
    act: 'announce',
    classId,
    reason: text,
  });
  return row;
}

/**
 * Ends an announcement early. If the announcement has already ended, nothing changes.
 *
 * @param operatorName the operator's name in the audit log, or `administratorName`
 * @throws {AppError} NOT_FOUND
 */
export async function withdrawAnnouncement(
  unitOfWork: UnitOfWork,
  announcementId: string,
  operatorName: string,
): Promise<AnnouncementRow> {
  const { db } = unitOfWork;
  const announcement = await findAnnouncement(db, announcementId);
  if (!announcement) throw new AppError('NOT_FOUND');
  const now = Date.now();
  if (toPhase(announcement, now) !== 'shown') return announcement;
  await markWithdrawn(db, announcementId, roundToMinute(now));
  await appendChangeEvent(unitOfWork, 'announcements-changed');
  const { classId, text: reason } = announcement;
  await appendAudit(unitOfWork, {
    staffName: operatorName,
    act: 'withdraw-announcement',
    classId,
    reason,
  });
  return announcement;
}

/** Lists announcements in force first, then the newest. */
export async function listAnnouncements(db: Database): Promise<ListedAnnouncement[]> {
  const now = Date.now();
  const rows = await listAnnouncementRows(db, now, limits.listedAnnouncements);
  return rows.map((row) => ({
    announcementId: row.announcementId,
    classId: row.classId,
    text: row.text,
    label: row.classId === null ? null : toClassLabel(row),
    announcedAt: row.announcedAt,
    endsAt: row.endsAt,
    phase: toPhase(row, now),
  }));
}

function toPhase(
  { status, endsAt }: Pick<AnnouncementRow, 'status' | 'endsAt'>,
  now: number,
): ListedAnnouncement['phase'] {
  if (status === 'withdrawn') return 'withdrawn';
  return endsAt > now ? 'shown' : 'ended';
}

/** Removes announcements some time after their end. */
export async function removeOldAnnouncements(
  db: Database,
  commits: CommitQueue,
  now: number,
): Promise<void> {
  const lastEnd = now - keptDays * dayMs;
  if (!(await hasEndedBefore(db, lastEnd))) return;
  await commits.write(async (unitOfWork) => {
    await deleteEndedBefore(unitOfWork.db, lastEnd);
    unitOfWork.contentErased();
  }, 'independent');
}
