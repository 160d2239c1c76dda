import { type FocusEvent, type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { formatDayOrSeason, listedWeekdays } from '#web/data/class-details.ts';
import { getText } from '#web/get-text.ts';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { useDismiss } from '#web/ui/use-dismiss.ts';
import styles from './days-field.module.css';

interface Props {
  value: readonly Weekday[];
  problem: string | undefined;
  onChange: (days: Weekday[]) => void;
}

/** Selects several days: a button that opens seven checkboxes. */
export function DaysField({ value, problem, onChange }: Props) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);
  useDismiss(root, isOpen, close);

  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) {
      button.current?.focus();
      close();
    } else if (event.key === 'ArrowDown' && !isOpen) setIsOpen(true);
    else return;
    event.preventDefault();
  };
  const handleBlur = ({ relatedTarget }: FocusEvent) => {
    // Without a `relatedTarget`, the member pressed a label or the list itself.
    if (relatedTarget && !root.current?.contains(relatedTarget)) close();
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
            ? value.map(formatDayOrSeason).join(', ')
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
