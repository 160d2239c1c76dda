import { type KeyboardEvent, useId } from 'react';
import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { formatDayOrSeason, listedWeekdays } from '#web/data/class-details.ts';
import { formatList } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { useCheckboxPopup } from '#web/ui/use-checkbox-popup.ts';
import styles from './days-field.module.css';

interface Props {
  value: readonly Weekday[];
  problem: string | undefined;
  onChange: (days: Weekday[]) => void;
}

/** Selects several days: a button that opens seven checkboxes. */
export function DaysField({ value, problem, onChange }: Props) {
  const id = useId();
  const { root, button, isOpen, setIsOpen, handleKey, handleBlur } = useCheckboxPopup();
  const handleKeyDown = (event: KeyboardEvent) => {
    if (handleKey(event.key)) event.preventDefault();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of its controls.
    <div className={styles.field} ref={root} onKeyDown={handleKeyDown} onBlur={handleBlur}>
      <span className="small medium" id={`${id}-label`}>
        {getText('createClass.days.label')}
      </span>
      <button
        {...toControlProps(id, { problem })}
        ref={button}
        type="button"
        role="combobox"
        className={styles.trigger}
        aria-labelledby={`${id}-label`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={value.length > 0 ? 'truncate' : `truncate muted`}>
          {value.length > 0
            ? formatList(value.map(formatDayOrSeason))
            : getText('createClass.noDays')}
        </span>
        <Icon name="chevron" />
      </button>
      <FieldProblem id={id}>{problem}</FieldProblem>
      <div
        className={styles.list}
        id={`${id}-list`}
        role="dialog"
        aria-labelledby={`${id}-label`}
        tabIndex={-1}
        hidden={!isOpen}
      >
        {listedWeekdays.map((day) => (
          <label key={day} className="option">
            <input
              type="checkbox"
              checked={value.includes(day)}
              onChange={({ target }) =>
                onChange(
                  weekdays.filter((weekday) =>
                    weekday === day ? target.checked : value.includes(weekday),
                  ),
                )
              }
            />
            {formatDayOrSeason(day)}
          </label>
        ))}
      </div>
    </div>
  );
}
