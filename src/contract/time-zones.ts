// Converts between times and the wall clocks of time zones. A clock is what a wall clock shows, such as 2026-12-01T10:00, in
// milliseconds since 1970 on that clock. Temporal does the same, but not in every browser.

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** @returns the clock of a text such as `2026-12-01T10:00`; null if there is no such minute in the calendar */
export function parseClock(text: string): number | null {
  const clock = Date.parse(`${text}Z`);
  // Some engines read February 31 as a day of March.
  return Number.isNaN(clock) || formatClock(clock) !== text ? null : clock;
}

/** The opposite of `parseClock`. */
export function formatClock(clock: number): string {
  return new Date(clock).toISOString().slice(0, 16);
}

/** What the wall clock shows at a time. */
export function toClock(time: number, zone: string): number {
  return time + findOffset(time, zone);
}

const quarterMs = 15 * 60_000;
const maxCachedOffsets = 1000;
const cachedOffsets = new Map<string, number>();

/** How far the clock is ahead of UTC. The offset is cached, because Intl takes long. */
function findOffset(time: number, zone: string): number {
  // Clocks change only at a quarter of an hour of UTC.
  const quarter = Math.floor(time / quarterMs) * quarterMs;
  const key = `${zone} ${quarter}`;
  let offset = cachedOffsets.get(key);
  if (offset === undefined) {
    offset = computeOffset(quarter, zone);
    if (cachedOffsets.size >= maxCachedOffsets) cachedOffsets.clear();
    cachedOffsets.set(key, offset);
  }
  return offset;
}

function computeOffset(time: number, zone: string): number {
  const parts = Object.fromEntries(
    getFormat(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute) - time;
}

const dayMs = 86_400_000;

/**
 * When the wall clock shows this. When clocks are set back, some minutes come twice. When clocks are advanced, some never
 * come: they count as that much later.
 */
export function toTimes(clock: number, zone: string): { first: number; last: number } {
  const [time, otherTime] = [clock - dayMs, clock + dayMs].map(
    (nearTime) => clock - findOffset(nearTime, zone),
  ) as [number, number];
  if (time === otherTime) return { first: time, last: time };
  const times = [time, otherTime].filter((candidate) => toClock(candidate, zone) === clock);
  if (times.length === 0) times.push(time);
  return { first: Math.min(...times), last: Math.max(...times) };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** There are some 600 time zones, so all fit into memory. */
function getFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
