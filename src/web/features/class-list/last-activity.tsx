import { createDateFormat, formatTimeOfDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { useToday } from '#web/ui/use-today.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './class-list.module.css';

const formatWeekday = createDateFormat({ weekday: 'short' });
const formatDayOfYear = createDateFormat({ month: 'short', day: 'numeric' });
const dayMs = 24 * 3_600_000;

/** The time of day, or the day if it is not today: `2:30 PM`, `Mon`, `Nov 2`. */
export function formatLastActivity(time: number, today: Date): string {
  const midnight = new Date(time).setHours(0, 0, 0, 0);
  // A day of 23 or 25 hours also counts as one.
  const daysAgo = Math.round((new Date(today).setHours(0, 0, 0, 0) - midnight) / dayMs);
  if (daysAgo <= 0) return formatTimeOfDay(time);
  return daysAgo < 7 ? formatWeekday(time) : formatDayOfYear(time);
}

/** When the newest message of a class was sent. */
export function LastActivity({ time }: { time: number }) {
  const today = useToday();
  return (
    <span className={styles.time}>
      <VisuallyHidden>{getText('classList.lastMessage')} </VisuallyHidden>
      {formatLastActivity(time, new Date(today))}
    </span>
  );
}
