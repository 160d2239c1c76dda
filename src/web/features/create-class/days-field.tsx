import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Listbox, optionId } from '#web/ui/listbox.tsx';
import { useDismiss } from '#web/ui/use-dismiss.ts';
import styles from './days-field.module.css';

interface Props {
  value: readonly Weekday[];
  isInvalid: boolean;
  onChange: (days: Weekday[]) => void;
}

/**
 * Selects several days: a select-only combobox whose list stays open. The focus stays on the button, and
 * `aria-activedescendant` identifies the active option.
 */
export function DaysField({ value, isInvalid, onChange }: Props) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(root, open, close);

  const toggle = (day: Weekday | undefined) =>
    onChange(weekdays.filter((one) => value.includes(one) !== (one === day)));
  const move = (to: number) => {
    setOpen(true);
    setActive(Math.max(0, Math.min(weekdays.length - 1, to)));
  };
  const keyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const typed = weekdays.findIndex((day) => day[0]?.toLowerCase() === key.toLowerCase());
    if (key === 'ArrowDown') move(open ? active + 1 : active);
    else if (key === 'ArrowUp') move(open ? active - 1 : active);
    else if (open && key === 'Home') move(0);
    else if (open && key === 'End') move(weekdays.length - 1);
    else if (open && (key === 'Enter' || key === ' ')) toggle(weekdays[active]);
    else if (open && key === 'Escape') close();
    else if (typed >= 0 && !event.metaKey && !event.ctrlKey) move(typed);
    else return;
    event.preventDefault();
  };

  return (
    <div className={styles.field} ref={root}>
      <span className={styles.label} id={`${id}-label`}>
        Days of the week
      </span>
      <button
        type="button"
        role="combobox"
        className={styles.trigger}
        aria-labelledby={`${id}-label`}
        aria-haspopup="listbox"
        aria-invalid={isInvalid}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={open ? optionId(`${id}-list`, weekdays[active] ?? '') : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={keyDown}
        onBlur={(event) => {
          if (!root.current?.contains(event.relatedTarget)) close();
        }}
      >
        <span className={value.length > 0 ? styles.value : `${styles.value} ${styles.none}`}>
          {value.length > 0 ? value.join(', ') : 'Select days'}
        </span>
        <Icon name="chevron" />
      </button>
      <Listbox
        id={`${id}-list`}
        label="Days of the week"
        className={styles.list}
        hidden={!open}
        options={weekdays.map((day) => ({
          key: day,
          selected: value.includes(day),
          content: (
            <>
              <span className={styles.box}>
                {value.includes(day) && <Icon name="check" size={14} />}
              </span>
              {day}
            </>
          ),
        }))}
        active={active}
        onActive={setActive}
        onChoose={(index) => toggle(weekdays[index])}
      />
    </div>
  );
}
