import type { Lecture } from '#contract/entities.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { findPresentedLecture } from '#server/chat/classes/presenter-links-queries.ts';
import type { Database } from '#server/store/tables.ts';

/** Finds the lecture of the link, if it is on. */
export async function findLecture(
  db: Database,
  link: { classId: string; token: string },
): Promise<Lecture | null> {
  const lectureId = await findPresentedLecture(db, link);
  if (lectureId === null) return null;
  const { lecture } = await findSettings(db, link.classId);
  return isLectureOn(lecture, Date.now()) && lecture.lectureId === lectureId ? lecture : null;
}
