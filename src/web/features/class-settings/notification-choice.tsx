import { useState } from 'react';
import type { NotifyChoice } from '#contract/notifications.ts';
import { toErrorMessage } from '#web/api.ts';
import { useChooseNotifications, useNotifications } from '#web/data/notifications.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { Callout } from '#web/ui/callout.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { SelectField } from '#web/ui/select-field.tsx';

const labels: readonly (readonly [NotifyChoice, string])[] = [
  ['all', getText('classSettings.notify.all')],
  ['mentions', getText('classSettings.notify.mentions')],
  ['none', getText('classSettings.notify.none')],
];

/** Which messages of the class notify the member. Empty if the server sends neither notifications nor emails. */
export function NotificationChoice({ classId }: { classId: string }) {
  const { data } = useNotifications();
  const { mutate, error } = useChooseNotifications();
  /** The choice that is being saved. */
  const [pendingChoice, setPendingChoice] = useState<NotifyChoice | null>(null);
  if (!data || (data.publicKey === null && data.digestUnavailable !== null)) return null;
  const savedChoice = data.choices.find((choice) => choice.classId === classId)?.notify;
  const choose = (notify: NotifyChoice) => {
    setPendingChoice(notify);
    mutate({ classId, notify }, { onSettled: () => setPendingChoice(null) });
  };
  return (
    <div className="stack-s">
      <Callout kind="error">{error ? toErrorMessage(error) : null}</Callout>
      <SelectField
        label={getText('classSettings.notify.label')}
        value={pendingChoice ?? savedChoice ?? 'mentions'}
        onChange={({ target }) => choose(target.value as NotifyChoice)}
      >
        {labels.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {data.publicKey !== null && !data.subscribed && (
        <p className="meta">
          {getRichText('classSettings.notify.off', { link: <Link to="/profile/notifications" /> })}
        </p>
      )}
    </div>
  );
}
