import { useState } from 'react';
import type { NotificationSettings, QuietHours } from '#contract/notifications.ts';
import { toErrorMessage } from '#web/api.ts';
import { useSaveSettings } from '#web/data/notifications.ts';
import { useIsModerator, useIsOperator } from '#web/data/session.ts';
import { formatRelativeDay, formatTimeOfDay, getOwnTimeZone } from '#web/format.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './settings-sections.module.css';

const hourMs = 60 * 60_000;
const pauses = [
  ['For an hour', hourMs],
  ['For a day', 24 * hourMs],
  ['For a week', 7 * 24 * hourMs],
] as const;

/** Shows the settings that apply to all devices of the account. */
export function NotificationSettingsForm({ settings }: { settings: NotificationSettings }) {
  const { mutate, error } = useSaveSettings();
  const isOperator = useIsOperator();
  const isModerator = useIsModerator();
  const [shownSettings, setShownSettings] = useState(settings);
  const { showText, answers, quietHours, snoozedUntil, waitingWork } = shownSettings;
  const change = (part: Partial<NotificationSettings>) => {
    const next = { ...shownSettings, ...part };
    setShownSettings(next);
    mutate(next, { onError: () => setShownSettings(settings) });
  };
  return (
    <>
      <Callout kind="error">{error ? toErrorMessage(error) : null}</Callout>
      <CheckBox checked={showText} onChange={(isChecked) => change({ showText: isChecked })}>
        Show who wrote and what, also on the lock screen
      </CheckBox>
      {isModerator && (
        <CheckBox
          checked={waitingWork}
          onChange={(isChecked) => change({ waitingWork: isChecked })}
        >
          Tell me that something waits for my decision, at most once an hour
        </CheckBox>
      )}
      <CheckBox checked={answers} onChange={(isChecked) => change({ answers: isChecked })}>
        Notify me when my question is answered
      </CheckBox>
      <CheckBox
        checked={quietHours !== null}
        onChange={(isChecked) => change({ quietHours: isChecked ? createFirstHours() : null })}
      >
        Quiet hours
      </CheckBox>
      {quietHours && (
        <Hours
          key={`${quietHours.from} ${quietHours.to}`}
          hours={quietHours}
          onChange={(hours) => change({ quietHours: hours })}
        />
      )}
      <Pause snoozedUntil={snoozedUntil} onChange={(endsAt) => change({ snoozedUntil: endsAt })} />
      {isOperator && (
        <p>You are an operator: reports of threats notify you in quiet hours and pauses too.</p>
      )}
    </>
  );
}

const createFirstHours = (): QuietHours => ({
  from: '22:00',
  to: '07:00',
  timeZone: getOwnTimeZone(),
});

interface HoursProps {
  hours: QuietHours;
  onChange: (hours: QuietHours) => void;
}

/** Saves a time when its field loses the focus, because the value of the field changes with each digit. */
function Hours({ hours, onChange }: HoursProps) {
  const [from, setFrom] = useState(hours.from);
  const [to, setTo] = useState(hours.to);
  const save = () => {
    const isComplete = from !== '' && to !== '' && from !== to;
    const isChanged = from !== hours.from || to !== hours.to;
    if (isComplete && isChanged) onChange({ from, to, timeZone: getOwnTimeZone() });
  };
  return (
    <div className={styles.hours} role="group" aria-label="Quiet hours">
      <TextField
        label="From"
        type="time"
        value={from}
        onChange={({ target }) => setFrom(target.value)}
        onBlur={save}
      />
      <TextField
        label="To"
        type="time"
        value={to}
        hint={hours.timeZone === getOwnTimeZone() ? undefined : hours.timeZone}
        onChange={({ target }) => setTo(target.value)}
        onBlur={save}
      />
    </div>
  );
}

interface PauseProps {
  snoozedUntil: number | null;
  onChange: (snoozedUntil: number | null) => void;
}

function Pause({ snoozedUntil, onChange }: PauseProps) {
  const [openedAt] = useState(() => new Date());
  const isPaused = snoozedUntil !== null && snoozedUntil > openedAt.getTime();
  return (
    <div role="group" aria-label="Pause notifications">
      <p className="small medium" role="status">
        {isPaused
          ? `Paused until ${formatRelativeDay(snoozedUntil, openedAt)}, ${formatTimeOfDay(snoozedUntil)}`
          : 'Pause'}
      </p>
      <div className="wrap">
        {isPaused ? (
          <Button onClick={() => onChange(null)}>End the pause</Button>
        ) : (
          pauses.map(([label, ms]) => (
            <Button key={label} onClick={() => onChange(Date.now() + ms)}>
              {label}
            </Button>
          ))
        )}
      </div>
    </div>
  );
}
