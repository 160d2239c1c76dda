// Starts and ends the lecture of a class, which is a part of its settings.
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { limits } from '#contract/limits.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { endLecture, publishSettings } from '#server/chat/classes/class-settings.ts';
import { deletePresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import { findHead } from '#server/chat/messages/authored-content-queries.ts';
import { closeLecturePolls } from '#server/chat/polls/polls.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Starts a lecture, by hand. If one is on, nothing changes.
 *
 * @throws {AppError} CLASS_ENDED; INVALID if its end is over or too late
 */
export async function startLecture(
  unitOfWork: UnitOfWork,
  classId: string,
  { hours = 0, until, holdsQuestions }: CallInput<'startLecture'>['body'],
  staffName: string,
): Promise<void> {
  const { lecture } = await findSettings(unitOfWork.db, classId);
  const now = Date.now();
  if (isLectureOn(lecture, now)) return;
  const end = until ?? now + hours * hourMs;
  if (end <= now || end > now + limits.lectureHours * hourMs + minuteMs) {
    throw new AppError('LECTURE_TOO_LONG');
  }
  await beginLecture(unitOfWork, classId, { until: end, holdsQuestions });
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason: 'lectureStart' });
}

/**
 * Begins a lecture while none is on. The version of the settings stays, so that a moderator can still save other changes.
 *
 * @throws {AppError} CLASS_ENDED
 */
export async function beginLecture(
  unitOfWork: UnitOfWork,
  classId: string,
  { until, holdsQuestions }: { until: number; holdsQuestions?: boolean | undefined },
): Promise<void> {
  const { db } = unitOfWork;
  const settings = await findSettings(db, classId);
  const lecture = {
    lectureId: createRandomId(),
    firstSeq: await findHead(db, classId),
    lastSeq: null,
    // An exact time would be the time at which a member of the staff acted.
    lastsUntil: Math.ceil(until / minuteMs) * minuteMs,
    ...(holdsQuestions && { holdsQuestions: true as const }),
  };
  // Those of an earlier lecture would wait again.
  await db
    .updateTable('waitingQuestions')
    .set({ returned: 1 })
    .where('classId', '=', classId)
    .where('returned', '=', 0)
    .execute();
  await publishSettings(unitOfWork, classId, { ...settings, lecture });
  await deletePresenterLinks(db, classId);
}

/**
 * Changes whether new questions wait for release. Those that wait stay until staff decide about them.
 *
 * @throws {AppError} NO_LECTURE, CLASS_ENDED
 */
export async function holdQuestions(
  unitOfWork: UnitOfWork,
  classId: string,
  areHeld: boolean,
  staffName: string,
): Promise<void> {
  const { db } = unitOfWork;
  const settings = await findSettings(db, classId);
  if (!isLectureOn(settings.lecture, Date.now())) throw new AppError('NO_LECTURE');
  const { holdsQuestions, ...lecture } = settings.lecture;
  if (areHeld === (holdsQuestions === true)) return;
  const changedLecture = { ...lecture, ...(areHeld && { holdsQuestions: true as const }) };
  await publishSettings(unitOfWork, classId, { ...settings, lecture: changedLecture });
  const reason = areHeld ? 'lectureHold' : 'lectureNoHold';
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason });
}

/**
 * Ends the lecture, with its presenter links and the polls that close with it. If none is on, nothing changes.
 *
 * @throws {AppError} CLASS_ENDED
 */
export async function endLectureEarly(
  unitOfWork: UnitOfWork,
  classId: string,
  staffName: string,
): Promise<void> {
  const lecture = await endLecture(unitOfWork, classId);
  if (!lecture) return;
  await closeLecturePolls(unitOfWork, classId, lecture);
  await appendAudit(unitOfWork, { staffName, act: 'settings', classId, reason: 'lectureEnd' });
}
