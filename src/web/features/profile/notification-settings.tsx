import { useState } from 'react';
import type { NotificationSettings, QuietHours } from '#contract/notifications.ts';
import { toErrorMessage } from '#web/api.ts';
import { useSaveSettings } from '#web/data/notifications.ts';
import { useIsModerator, useIsOperator } from '#web/data/session.ts';
import { formatRelativeDay, formatTimeOfDay, getOwnTimeZone } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './settings-sections.module.css';

const hourMs = 60 * 60_000;
const pauses = [
  [getText('profile.pause.hour'), hourMs],
  [getText('profile.pause.day'), 24 * hourMs],
  [getText('profile.pause.week'), 7 * 24 * hourMs],
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
        {getText('profile.notifications.showText')}
      </CheckBox>
      {isModerator && (
        <CheckBox
          checked={waitingWork}
          onChange={(isChecked) => change({ waitingWork: isChecked })}
        >
          {getText('profile.notifications.waitingWork')}
        </CheckBox>
      )}
      <CheckBox checked={answers} onChange={(isChecked) => change({ answers: isChecked })}>
        {getText('profile.notifications.answers')}
      </CheckBox>
      <CheckBox
        checked={quietHours !== null}
        onChange={(isChecked) => change({ quietHours: isChecked ? createFirstHours() : null })}
      >
        {getText('profile.quietHours.label')}
      </CheckBox>
      {quietHours && (
        <Hours
          key={`${quietHours.from} ${quietHours.to}`}
          hours={quietHours}
          onChange={(hours) => change({ quietHours: hours })}
        />
      )}
      <Pause snoozedUntil={snoozedUntil} onChange={(endsAt) => change({ snoozedUntil: endsAt })} />
      {isOperator && <p>{getText('profile.notifications.operator')}</p>}
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
    <div className={styles.hours} role="group" aria-label={getText('profile.quietHours.label')}>
      <TextField
        label={getText('profile.quietHours.from')}
        type="time"
        value={from}
        onChange={({ target }) => setFrom(target.value)}
        onBlur={save}
      />
      <TextField
        label={getText('profile.quietHours.to')}
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
    <div role="group" aria-label={getText('profile.pause.group')}>
      <p className="small medium" role="status">
        {isPaused
          ? getText('profile.pause.until', {
              day: formatRelativeDay(snoozedUntil, openedAt),
              time: formatTimeOfDay(snoozedUntil),
            })
          : getText('profile.pause.label')}
      </p>
      <div className="wrap">
        {isPaused ? (
          <Button onClick={() => onChange(null)}>{getText('profile.pause.end')}</Button>
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
