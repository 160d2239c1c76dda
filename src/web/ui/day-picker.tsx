import type { MouseEvent, ReactNode } from 'react';
import { toLocalMinute } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import styles from './day-picker.module.css';

interface Props {
  /** A time on the day that the picker shows first. Without it, the picker shows this month. */
  timestamp?: number;
  today: Date;
  /** Receives a time in milliseconds: the start of the chosen day. */
  onPick: (time: number) => void;
  /** A button that calls `openDayPicker`. */
  children: ReactNode;
}

/** A button with the browser's date picker, to jump to a day of the past. */
export function DayPicker({ timestamp, today, onPick, children }: Props) {
  return (
    <span className={styles.anchor}>
      {children}
      <input
        className={styles.picker}
        type="date"
        aria-label={getText('ui.dateJump.label')}
        tabIndex={-1}
        max={toIsoDay(today)}
        defaultValue={timestamp === undefined ? '' : toIsoDay(new Date(timestamp))}
        onChange={({ target }) => {
          if (target.value) onPick(new Date(`${target.value}T00:00`).getTime());
        }}
      />
    </span>
  );
}

export function openDayPicker({ currentTarget: button }: MouseEvent): void {
  const input = button.nextElementSibling;
  if (!(input instanceof HTMLInputElement)) return;
  // Otherwise the same day could not be picked twice.
  input.value = input.defaultValue;
  input.showPicker();
}

/** The day in the browser's time zone, such as `2026-09-01`. */
function toIsoDay(date: Date): string {
  return toLocalMinute(date.getTime()).slice(0, 10);
}
