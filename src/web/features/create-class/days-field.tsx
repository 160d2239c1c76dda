import { CSPProvider } from '@base-ui/react/csp-provider';
import { Select } from '@base-ui/react/select';
import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { Icon } from '#web/ui/icon.tsx';
import styles from './days-field.module.css';

interface Props {
  value: readonly Weekday[];
  onChange: (days: Weekday[]) => void;
}

/** Several days in the order of the week, from a list that stays open while one chooses. */
export function DaysField({ value, onChange }: Props) {
  return (
    // Our content security policy allows no style elements, and we need none of theirs.
    <CSPProvider disableStyleElements>
      <Select.Root
        multiple
        modal={false}
        value={[...value]}
        onValueChange={(days) => onChange(weekdays.filter((day) => days.includes(day)))}
      >
        <div className={styles.field}>
          <Select.Label className={styles.label}>Days of the week</Select.Label>
          <Select.Trigger className={styles.trigger}>
            <Select.Value className={styles.value}>
              {(days: Weekday[]) =>
                days.length > 0 ? days.join(', ') : <span className={styles.none}>Select days</span>
              }
            </Select.Value>
            <Icon name="chevron" />
          </Select.Trigger>
        </div>
        <Select.Portal>
          <Select.Positioner
            className={styles.positioner}
            alignItemWithTrigger={false}
            sideOffset={4}
          >
            <Select.Popup className={styles.popup}>
              <Select.List>
                {weekdays.map((day) => (
                  <Select.Item key={day} value={day} className={styles.item}>
                    <Select.ItemText>{day}</Select.ItemText>
                    <Select.ItemIndicator>
                      <Icon name="check" size={18} />
                    </Select.ItemIndicator>
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </CSPProvider>
  );
}
