import { formatRelativeDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { DayPicker, openDayPicker } from '#web/ui/day-picker.tsx';
import { useToday } from '#web/ui/use-today.ts';

interface Props {
  timestamp: number;
  className: string | undefined;
  tabIndex: number;
  /** Receives a time in milliseconds: the start of the chosen day. */
  onPickDay: (time: number) => void;
}

/** The heading above the first message of a day. A click on it offers to jump to another day. */
export function DayHeading({ timestamp, className, tabIndex, onPickDay }: Props) {
  const today = new Date(useToday());
  return (
    <h2 className={className}>
      <DayPicker timestamp={timestamp} today={today} onPick={onPickDay}>
        <button
          type="button"
          className="quiet"
          tabIndex={tabIndex}
          title={getText('chat.list.pickDay')}
          onClick={openDayPicker}
        >
          {formatRelativeDay(timestamp, today)}
        </button>
      </DayPicker>
    </h2>
  );
}
