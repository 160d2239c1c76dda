import { useEffect, useRef } from 'react';
import { limits } from '#contract/limits.ts';
import type { QuietTime } from '#contract/quiet-times.ts';
import { formatClock, toClock } from '#contract/time-zones.ts';
import { getText, language } from '#web/get-text.ts';
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
      <legend>{getText('classSettings.quietTimes.title')}</legend>
      <p className="meta">
        {getText('classSettings.quietTimes.hint', { timeZone: site.timeZone })}
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
          {getText('classSettings.quietTimes.add')}
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
      <legend>{getText('classSettings.quietTime.title', { number })}</legend>
      <div className={styles.range}>
        <TextField
          label={getText('classSettings.quietTime.from')}
          type="datetime-local"
          value={begins}
          onChange={({ target }) => onChange({ begins: target.value })}
        />
        <TextField
          label={getText('classSettings.quietTime.until')}
          type="datetime-local"
          value={ends}
          hint={
            zone === site.timeZone
              ? undefined
              : getText('classSettings.quietTime.timeZone', { zone })
          }
          onChange={({ target }) => onChange({ ends: target.value })}
        />
      </div>
      <TextField
        label={getText('classSettings.quietTime.sentence')}
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
          {getText('classSettings.quietTime.weekly')}
        </CheckBox>
        <Button
          variant="plain"
          aria-label={getText('classSettings.quietTime.remove', { number })}
          onClick={onRemove}
        >
          {getText('common.remove')}
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
    // Everyone reads it, and a language that is not the site's could tell who wrote it.
    sentence: language === site.languages[0] ? getText('classSettings.quietTime.example') : '',
  };
}
