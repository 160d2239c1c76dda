import { useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import { toErrorMessage } from '#web/api.ts';
import { useClasses } from '#web/data/classes.ts';
import { useChooseNotifications, type ClassChoice } from './notifications.ts';
import { Callout } from '#web/ui/callout.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import styles from './settings-sections.module.css';

const labels: readonly (readonly [NotifyChoice, string])[] = [
  ['all', 'All messages'],
  ['mentions', 'Mentions and replies'],
  ['none', 'Nothing'],
];

const mapByClass = (choices: readonly ClassChoice[]) =>
  new Map(choices.map(({ classId, notify }) => [classId, notify]));

/** Which messages of each class notify. */
export function NotificationClasses({ choices }: { choices: readonly ClassChoice[] }) {
  const classes = useClasses().data ?? [];
  const { mutate, error } = useChooseNotifications();
  const [choicesByClass, setChoicesByClass] = useState(() => mapByClass(choices));
  const choose = (choice: ClassChoice) => {
    setChoicesByClass(new Map(choicesByClass).set(choice.classId, choice.notify));
    mutate(choice, { onError: () => setChoicesByClass(mapByClass(choices)) });
  };
  const active = classes.filter(({ ended }) => !ended);
  if (active.length === 0) return null;
  return (
    <fieldset className={styles.classes}>
      <legend className={styles.legend}>Notify me of</legend>
      <Callout kind="error">{error ? toErrorMessage(error) : null}</Callout>
      <div className={styles.classGrid}>
        {active.map((joinedClass) => (
          <SelectField
            key={joinedClass.classId}
            label={toClassLabel(joinedClass)}
            value={choicesByClass.get(joinedClass.classId) ?? 'mentions'}
            onChange={({ target }) =>
              choose({ classId: joinedClass.classId, notify: target.value as NotifyChoice })
            }
          >
            {labels.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
    </fieldset>
  );
}
