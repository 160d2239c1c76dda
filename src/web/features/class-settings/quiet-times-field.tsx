import { useEffect, useRef } from 'react';
import { limits } from '#contract/limits.ts';
import type { QuietTime } from '#contract/quiet-times.ts';
import { formatClock, toClock } from '#contract/time-zones.ts';
import { site } from '#web/site.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './class-settings.module.css';

interface Props {
  quietTimes: readonly QuietTime[];
  /** The time of the server. */
  serverNow: () => number;
  onChange: (quietTimes: QuietTime[]) => void;
}

/** When the class is read-only. Times are on the clock of the school, so they do not show where a moderator is. */
export function QuietTimesField({ quietTimes, serverNow, onChange }: Props) {
  const group = useRef<HTMLFieldSetElement>(null);
  const lastCount = useRef(quietTimes.length);
  useEffect(() => {
    const { length } = quietTimes;
    if (length > lastCount.current) {
      group.current?.querySelector<HTMLElement>('fieldset:last-of-type input')?.focus();
    }
    // The focused button has disappeared.
    if (length < lastCount.current) group.current?.focus();
    lastCount.current = length;
  }, [quietTimes]);
  return (
    <fieldset ref={group} className={styles.quietTimes} tabIndex={-1}>
      <legend>Quiet times</legend>
      <p className="meta">
        The class is read-only during a quiet time, and says your sentence. Times are in{' '}
        {site.timeZone}.
      </p>
      {quietTimes.map((quietTime, n) => (
        <QuietTimeFields
          key={n}
          number={n + 1}
          quietTime={quietTime}
          onChange={(changes) => onChange(quietTimes.with(n, { ...quietTime, ...changes }))}
          onRemove={() => onChange(quietTimes.toSpliced(n, 1))}
        />
      ))}
      {quietTimes.length < limits.quietTimes && (
        <Button onClick={() => onChange([...quietTimes, createQuietTime(serverNow())])}>
          Add a quiet time
        </Button>
      )}
    </fieldset>
  );
}

interface FieldsProps {
  number: number;
  quietTime: QuietTime;
  onChange: (changes: Partial<QuietTime>) => void;
  onRemove: () => void;
}

function QuietTimeFields({ number, quietTime, onChange, onRemove }: FieldsProps) {
  const { begins, ends, zone, weekly, sentence } = quietTime;
  return (
    <fieldset className={styles.quietTime}>
      <legend>Quiet time {number}</legend>
      <div className={styles.range}>
        <TextField
          label="From"
          type="datetime-local"
          value={begins}
          onChange={({ target }) => onChange({ begins: target.value })}
        />
        <TextField
          label="Until"
          type="datetime-local"
          value={ends}
          hint={zone === site.timeZone ? undefined : `In ${zone}`}
          onChange={({ target }) => onChange({ ends: target.value })}
        />
      </div>
      <TextField
        label="What members read"
        dir="auto"
        maxLength={limits.quietSentence}
        value={sentence}
        onChange={({ target }) => onChange({ sentence: target.value })}
      />
      <div className={styles.quietFoot}>
        <CheckBox
          className="medium"
          checked={weekly}
          onChange={(isChecked) => onChange({ weekly: isChecked })}
        >
          Every week
        </CheckBox>
        <Button variant="plain" aria-label={`Remove quiet time ${number}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Tomorrow morning, which the moderator then changes. */
function createQuietTime(now: number): QuietTime {
  const today = Math.floor(toClock(now, site.timeZone) / dayMs) * dayMs;
  const begins = today + dayMs + 10 * hourMs;
  return {
    begins: formatClock(begins),
    ends: formatClock(begins + 2 * hourMs),
    zone: site.timeZone,
    weekly: false,
    sentence: 'The exam is running',
  };
}
