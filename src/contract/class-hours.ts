// When a class meets by its hours, for its lectures. Apart from lecture-times.ts, because few screens need it.
import { weekdays } from './class-fields.ts';
import type { Class } from './entities.ts';
import { limits } from './limits.ts';
import { formatClock, parseClock, toClock, toTimes } from './time-zones.ts';

/** From when until when a class meets, in milliseconds since 1970. */
export interface Meeting {
  begins: number;
  ends: number;
}

type Hours = Pick<Class, 'classSchedule' | 'beginClassTime' | 'endClassTime'>;

/**
 * Finds today's meeting, until it is over. Null on other days, and if the class has no fixed hours.
 *
 * @param zone of the hours of the class
 */
export function findMeeting(
  { classSchedule, beginClassTime, endClassTime }: Hours,
  zone: string,
  now: number,
): Meeting | null {
  const clock = toClock(now, zone);
  // JavaScript's weeks begin on Sunday, which is the last of `weekdays`.
  const weekday = weekdays.at(new Date(clock).getUTCDay() - 1);
  if (!classSchedule?.some((day) => day === weekday)) return null;
  const day = formatClock(clock).slice(0, 10);
  const begins = parseClock(`${day}T${beginClassTime}`);
  const ends = parseClock(`${day}T${endClassTime}`);
  if (begins === null || ends === null) return null;
  const meeting = { begins: toTimes(begins, zone).first, ends: toTimes(ends, zone).last };
  return now < meeting.ends ? meeting : null;
}

/** How long before a class its lecture can be started and then ends with it. */
const earlyMs = 30 * 60_000;

/** Finds when today's class ends, if it is on or begins soon, for a lecture that ends with it. */
export function findClassEnd(listedClass: Hours, zone: string, now: number): number | null {
  const meeting = findMeeting(listedClass, zone, now);
  const isSoon = meeting !== null && now >= meeting.begins - earlyMs;
  return isSoon && meeting.ends - now <= limits.lectureHours * 3_600_000 ? meeting.ends : null;
}
