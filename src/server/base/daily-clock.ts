// Work that is done once a day: from a time of the day on, on the clock of the school.
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

const minutesPerDay = 24 * 60;
const dayMs = minutesPerDay * 60_000;

/** @returns a function that says how long ago the last round began. Summer time changes nothing about the day. */
export function createDailyClock({ startMinute, timeZone }: DailyTime) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (now: number): DailyMoment => {
    const parts = Object.fromEntries(
      format.formatToParts(now).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    const today = Date.UTC(year, month - 1, day) / dayMs;
    const elapsedMinutes = hour * 60 + minute - startMinute;
    return elapsedMinutes < 0
      ? { day: today - 1, minutes: elapsedMinutes + minutesPerDay }
      : { day: today, minutes: elapsedMinutes };
  };
}
