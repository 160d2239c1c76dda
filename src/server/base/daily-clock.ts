// Work that is done once a day: from a time of the day on, on the clock of the school.
import { toClock } from '#contract/time-zones.ts';

export interface DailyTime {
  /** Minutes after midnight. */
  startMinute: number;
  timeZone: string;
}

export interface DailyMoment {
  /** The day on which the current round began, in days since 1970. */
  day: number;
  /** Minutes since it began. */
  minutes: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** @returns a function that says how long ago the last round began. Summer time changes nothing about the day. */
export function createDailyClock({ startMinute, timeZone }: DailyTime) {
  return (now: number): DailyMoment => {
    const sinceFirstRound = toClock(now, timeZone) - startMinute * minuteMs;
    const day = Math.floor(sinceFirstRound / dayMs);
    return { day, minutes: Math.floor((sinceFirstRound - day * dayMs) / minuteMs) };
  };
}
