// When an account wants no notifications.
import type { NotificationSettings, QuietHours } from '#contract/notifications.ts';

export function isQuiet(
  { snoozedUntil, quietHours }: Pick<NotificationSettings, 'snoozedUntil' | 'quietHours'>,
  now: number,
): boolean {
  if (snoozedUntil !== null && now < snoozedUntil) return true;
  return quietHours !== null && isWithin(quietHours, now);
}

/** Follows the clock of the time zone, summer time included. */
function isWithin({ from, to, timeZone }: QuietHours, now: number): boolean {
  const time = getClock(timeZone).format(now);
  return from < to ? time >= from && time < to : time >= from || time < to;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Formats times as HH:MM. There are some 600 time zones, so all fit into memory. */
function getClock(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    const format = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const;
    clock = new Intl.DateTimeFormat('en-GB', format);
    clocks.set(timeZone, clock);
  }
  return clock;
}
