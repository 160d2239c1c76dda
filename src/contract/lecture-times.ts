// When a lecture is on, and which questions belong to it. No timer ends a lecture: the server and each browser compare its end
// with the clock.
import type { Lecture } from './entities.ts';

export function isLectureOn(
  lecture: Lecture | null | undefined,
  now: number,
): lecture is Lecture & { lastSeq: null } {
  return lecture?.lastSeq === null && now < lecture.lastsUntil;
}

/** Whether new questions of anonymous personas wait for release. */
export function isHoldingQuestions(
  lecture: Lecture | null | undefined,
  now: number,
): lecture is Lecture & { lastSeq: null } {
  return isLectureOn(lecture, now) && lecture.holdsQuestions === true;
}

/** When a poll closes that is asked now: after so many minutes, or with 0, with the lecture. Without one, that is an hour later. */
export function toPollEnd(
  minutes: number,
  lecture: Lecture | null | undefined,
  now: number,
): number {
  if (minutes > 0) return now + minutes * 60_000;
  return isLectureOn(lecture, now) ? lecture.lastsUntil : now + 3_600_000; // LECT-93
}

/** @param question `seq` is null until the server has it */
export function isAskedIn(
  { firstSeq, lastSeq, lastsUntil }: Lecture,
  { seq, createdAt }: { seq: number | null; createdAt: number },
): boolean {
  const place = seq ?? Infinity;
  return place > firstSeq && place <= (lastSeq ?? Infinity) && createdAt < lastsUntil;
}
