import { useToday } from '#web/ui/use-today.ts';
import { dayName } from './message-time.ts';

export function DayHeading({ at, className }: { at: number; className: string | undefined }) {
  return <h2 className={className}>{dayName(at, new Date(useToday()))}</h2>;
}
