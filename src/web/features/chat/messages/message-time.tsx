import { useToday } from '#web/ui/use-today.ts';

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

export function timeOfDay(at: number): string {
  return clock.format(at);
}

function dayName(at: number, now = new Date()): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return 'Today';
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return date.getFullYear() === now.getFullYear() ? day.format(at) : dayOfYear.format(at);
}

export function DayHeading({ at, className }: { at: number; className: string | undefined }) {
  return <h2 className={className}>{dayName(at, new Date(useToday()))}</h2>;
}
