import { useRef } from 'react';
import { formatRelativeDay, toLocalMinute } from '#web/format.ts';
import { useToday } from '#web/ui/use-today.ts';
import styles from './day-heading.module.css';

interface Props {
  timestamp: number;
  className: string | undefined;
  tabIndex: number;
  /** Receives a time in milliseconds: the start of the chosen day. */
  onPickDay: (time: number) => void;
}

/** The heading above the first message of a day. A click on it offers to jump to another day. */
export function DayHeading({ timestamp, className, tabIndex, onPickDay }: Props) {
  const today = useToday();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <h2 className={className}>
      <button
        type="button"
        className={styles.day}
        tabIndex={tabIndex}
        title="Jump to a date"
        onClick={() => picker.current?.showPicker()}
      >
        {formatRelativeDay(timestamp, new Date(today))}
      </button>
      <input
        ref={picker}
        className={styles.picker}
        type="date"
        aria-label="Jump to a date"
        tabIndex={-1}
        max={toIsoDay(new Date(today))}
        defaultValue={toIsoDay(new Date(timestamp))}
        onChange={({ target }) => {
          if (target.value) onPickDay(new Date(`${target.value}T00:00`).getTime());
        }}
      />
    </h2>
  );
}

/** The day in the browser's time zone, such as `2026-09-01`. */
function toIsoDay(date: Date): string {
  return toLocalMinute(date.getTime()).slice(0, 10);
}
