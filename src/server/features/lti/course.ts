// The course that a browser opened last, in an encrypted cookie. No row of the database stands for a launch, and nothing in the
// cookie says whose launch it was.
import { AppError } from '#contract/errors.ts';
import { SealedCookies } from '#server/accounts/sealed-cookies.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import type { Server } from '#server/feature.ts';
import type { Reader } from '#server/store/site.ts';
import { findLinkedClassId, type CourseKey } from './lti-queries.ts';

/** What a launch says. */
export interface Course {
  key: CourseKey;
  title: string;
  label: string;
  isInstructor: boolean;
  /** Its link says that it was linked. If it is not, it is the copy of another course. */
  saysLinked: boolean;
  /** Deep linking: the platform waits for the link of the class. */
  picking: {
    /** Where this window sends the link. Null if a frame of the platform does it. */
    answerUrl: string | null;
  } | null;
}

type CookieServer = Pick<Server, 'config' | 'keys'>;

const cookieName = 'course';
/** Long enough to sign up in between. */
const courseMs = 60 * 60_000; // LTI-6

export function createCookies({ keys, config }: CookieServer): SealedCookies {
  return new SealedCookies(keys.lti, config.publicUrl);
}

/** @param course null to remove the cookie */
export function createCourseCookie(server: CookieServer, course: Course | null): string {
  return createCookies(server).write(cookieName, course, course ? courseMs : 0);
}

/** @returns null if this browser has opened no course, or too long ago */
export function findCourse(server: CookieServer, headers: Headers): Course | null {
  return createCookies(server).read(cookieName, headers);
}

/** Names the course in a browser. It tells nothing about the course. */
export function toCourseId({ keys }: Pick<Server, 'keys'>, key: CourseKey): string {
  const { platformId, deploymentId, contextId } = key;
  return computeId(keys.lti, 'course', JSON.stringify([platformId, deploymentId, contextId]));
}

/**
 * @param courseId the course that the page shows. Another tab may have opened another one since.
 * @throws {AppError} COURSE_NOT_OPENED, NOT_INSTRUCTOR
 */
export function getTaughtCourse(server: CookieServer, headers: Headers, courseId: string): Course {
  const course = findCourse(server, headers);
  if (!course || toCourseId(server, course.key) !== courseId) {
    throw new AppError('COURSE_NOT_OPENED');
  }
  if (!course.isInstructor) throw new AppError('NOT_INSTRUCTOR');
  return course;
}

/** The class of the course, or the one that replaces it after merges; null if it has none, or the class was deleted. */
export async function findLinkedClass({ db }: Pick<Reader, 'db'>, course: CourseKey) {
  let classId = await findLinkedClassId(db, course);
  for (;;) {
    const linkedClass = classId === null ? null : await findClass(db, classId);
    if (!linkedClass?.mergedInto) return linkedClass;
    classId = linkedClass.mergedInto;
  }
}
