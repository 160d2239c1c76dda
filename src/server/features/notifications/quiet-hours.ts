// When an account wants no notifications.
import type { NotificationSettings, QuietHours } from '#contract/notifications.ts';
import { formatClock, toClock } from '#contract/time-zones.ts';

export function isQuiet(
  { snoozedUntil, quietHours }: Pick<NotificationSettings, 'snoozedUntil' | 'quietHours'>,
  now: number,
): boolean {
  if (snoozedUntil !== null && now < snoozedUntil) return true;
  return quietHours !== null && isWithin(quietHours, now);
}

/** Follows the clock of the time zone, summer time included. */
function isWithin({ from, to, timeZone }: QuietHours, now: number): boolean {
  const time = formatClock(toClock(now, timeZone)).slice('YYYY-MM-DDT'.length);
  return from < to ? time >= from && time < to : time >= from || time < to;
}
