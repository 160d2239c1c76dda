// Quiet times: when a class is read-only because moderators planned it. No timer begins or ends one. The server compares
// the times with its clock when a member writes, and each browser computes the same.
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';
import { isBlank, isPlainLine } from './text.ts';
import { isTimeZone, parseClock, toTimes } from './time-zones.ts';

export interface QuietTime {
  /** A time on the clock of `zone`, such as 2026-12-01T10:00. A weekly quiet time begins in this week. */
  begins: string;
  ends: string;
  /** Such as Europe/Berlin. */
  zone: string;
  weekly: boolean;
  /** Says to members why they cannot write. */
  sentence: string;
}

/** One time from which and until which members cannot write, in milliseconds since 1970. */
interface Occurrence {
  from: number;
  until: number;
  sentence: string;
}

/** A quiet time that lasts until `until`, in milliseconds since 1970. */
export type CurrentQuietTime = Pick<Occurrence, 'until' | 'sentence'>;

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

export type QuietTimeProblem = Extract<ErrorReason, `QUIET_TIME_${string}`>;

/** @returns what is wrong, or null */
export function findQuietTimeProblem(quietTime: QuietTime): QuietTimeProblem | null {
  const { begins, ends, weekly, sentence } = quietTime;
  const first = parseClock(begins);
  const last = parseClock(ends);
  if (first === null || last === null) return 'QUIET_TIME_UNSET';
  if (first >= last) return 'QUIET_TIME_ENDS';
  if (weekly && last - first >= weekMs) return 'QUIET_TIME_WEEKLY';
  if (isBlank(sentence)) return 'QUIET_TIME_EMPTY';
  if (sentence.length > limits.quietSentence) return 'QUIET_TIME_TOO_LONG';
  return isPlainLine(sentence) ? null : 'QUIET_TIME_CHARACTERS';
}

/** Whether the quiet time has ended and never comes again. */
export function isOver(quietTime: QuietTime, now: number): boolean {
  return !quietTime.weekly && listOccurrences(quietTime, now).every(({ until }) => until <= now);
}

/** Finds what keeps members from writing at this time. Quiet times that touch or overlap end together, with the last one. */
export function findCurrentQuietTime(
  quietTimes: readonly QuietTime[],
  now: number,
): CurrentQuietTime | null {
  const current = findOccurrence(quietTimes, now);
  if (!current) return null;
  let { until } = current;
  // With more steps, it would be the same weekly quiet times again.
  for (let step = 0; step < quietTimes.length; step++) {
    until = findOccurrence(quietTimes, until)?.until ?? until;
  }
  return { sentence: current.sentence, until };
}

/** @returns when a quiet time next begins or ends; null if none ever does */
export function findNextQuietChange(quietTimes: readonly QuietTime[], now: number): number | null {
  const times = quietTimes
    .flatMap((quietTime) => listOccurrences(quietTime, now))
    .flatMap(({ from, until }) => [from, until])
    .filter((time) => time > now);
  return times.length === 0 ? null : Math.min(...times);
}

/** The one that ends last, if there are several at this time. */
function findOccurrence(quietTimes: readonly QuietTime[], time: number): Occurrence | null {
  // Almost all are another day, which needs no time zone. Each message that is posted comes here.
  const isNear = ({ begins, ends }: ClockRange) => begins - dayMs < time && time < ends + dayMs;
  const [last = null] = quietTimes
    .flatMap((quietTime) => listOccurrences(quietTime, time, isNear))
    .filter(({ from, until }) => from <= time && time < until)
    .toSorted((a, b) => b.until - a.until);
  return last;
}

/** What the clock shows at the begin and at the end. */
interface ClockRange {
  begins: number;
  ends: number;
}

/** The occurrences around this time: a weekly quiet time has one in each week. */
function listOccurrences(
  { begins, ends, zone, weekly, sentence }: QuietTime,
  time: number,
  isWanted: (range: ClockRange) => boolean = () => true,
): Occurrence[] {
  // A browser may not know a new time zone. Then the server decides alone.
  if (!isTimeZone(zone)) return [];
  const first = parseClock(begins);
  const last = parseClock(ends);
  if (first === null || last === null) return [];
  // A clock is less than a day from UTC, so these weeks include the previous, the current and the next one.
  const week = Math.max(0, Math.floor((time - first) / weekMs) - 1);
  const weeks = weekly ? [week, week + 1, week + 2, week + 3] : [0];
  return weeks
    .map((number) => ({ begins: first + number * weekMs, ends: last + number * weekMs }))
    .filter(isWanted)
    .map((range) => ({
      from: toTimes(range.begins, zone).first,
      until: toTimes(range.ends, zone).last,
      sentence,
    }))
    .filter(({ from, until }) => from < until);
}
