// Starts lectures at the hours of their classes, if staff chose so. A class stores the time zone of its hours, and for which
// meeting its lecture was last started, so that none starts twice, also after a restart or on another node.
import { findMeeting, type Meeting } from '#contract/class-hours.ts';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import { findSettings, saveSettings } from '#server/chat/classes/class-settings-queries.ts';
import { findClass, toClass } from '#server/chat/classes/classes-queries.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import { listAllRoles } from '#server/chat/staff/stored-roles.ts';
import type { Server } from '#server/feature.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import { beginLecture } from './lecture.ts';
import {
  findLectureZone,
  findPlannedClass,
  listPlannedClasses,
  savePlan,
  type PlannedClass,
} from './lecture-plan-queries.ts';

/**
 * Decides whether lectures start at the hours of the class. A meeting that is on gets no lecture, because staff may have ended it.
 *
 * @param zone of the hours; null if staff start the lectures
 * @throws {AppError} CLASS_ENDED; INVALID if the class has no hours
 */
export async function planLectures(
  unitOfWork: UnitOfWork,
  classId: string,
  zone: string | null,
  staffName: string,
): Promise<void> {
  const { db } = unitOfWork;
  const row = await findClass(db, classId);
  if (row?.status !== 'active') throw new AppError('CLASS_ENDED');
  const { classSchedule, beginClassTime } = toClass(row);
  if (zone !== null && !(classSchedule?.length && beginClassTime)) {
    throw new AppError('CLASS_WITHOUT_HOURS');
  }
  if ((await findLectureZone(db, classId)) === zone) return;
  const currentMeeting = zone === null ? null : findCurrentMeeting(toClass(row), zone);
  // The row exists once a setting was changed.
  await saveSettings(db, classId, await findSettings(db, classId));
  await savePlan(db, classId, {
    lectureZone: zone,
    lectureStartedAt: currentMeeting?.begins ?? null,
  });
  const reason = zone === null ? 'lectureNoPlan' : 'lecturePlan';
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason });
}

function findCurrentMeeting(listedClass: Class, zone: string): Meeting | null {
  const meeting = findMeeting(listedClass, zone, Date.now());
  return meeting && meeting.begins <= Date.now() ? meeting : null;
}

/** Starts the lectures of all classes whose meeting has begun. One that is on already goes on. */
export async function startDueLectures({
  db,
  commits,
  lease,
  log,
}: Pick<Server, 'db' | 'commits' | 'lease' | 'log'>): Promise<void> {
  if (!lease.isHeld()) return;
  const logFailure = (error: unknown) => log.warn('lectures.failed', { error });
  const planned = await listPlannedClasses(db).catch(logFailure);
  for (const row of planned ?? []) {
    if (!lease.isHeld()) return;
    const { classId } = row;
    try {
      if (!findDueMeeting(row)) continue;
      await commits.write((unitOfWork) => startDueLecture(unitOfWork, classId), { classId });
    } catch (error) {
      logFailure(error);
    }
  }
}

/** Finds the meeting that is on, unless its lecture was started. */
function findDueMeeting({ lectureZone, lectureStartedAt, ...row }: PlannedClass): Meeting | null {
  const meeting = lectureZone === null ? null : findCurrentMeeting(toClass(row), lectureZone);
  return meeting && lectureStartedAt !== meeting.begins ? meeting : null;
}

async function startDueLecture(unitOfWork: UnitOfWork, classId: string): Promise<void> {
  const { db } = unitOfWork;
  const row = await findPlannedClass(db, classId);
  const meeting = row && findDueMeeting(row);
  if (!meeting) return;
  await savePlan(db, classId, { lectureStartedAt: meeting.begins });
  const { lecture } = await findSettings(db, classId);
  if (isLectureOn(lecture, Date.now()) || !(await hasStaff(unitOfWork, classId))) return;
  // Staff decided about the questions of the last one.
  const holdsQuestions = lecture?.holdsQuestions;
  const longestEnd = Date.now() + limits.lectureHours * 3_600_000;
  const until = Math.min(meeting.ends, longestEnd);
  await beginLecture(unitOfWork, classId, { until, holdsQuestions });
}

/** Without staff, no one could end the lecture or release its questions. */
async function hasStaff(reader: Reader, classId: string): Promise<boolean> {
  const roles = await listAllRoles(reader);
  return roles.some((role) => role.classId === classId);
}
