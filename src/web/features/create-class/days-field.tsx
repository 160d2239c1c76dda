/* oxlint-disable jsx-a11y/click-events-have-key-events -- the focused combobox handles the keys. */
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { Icon } from '#web/ui/icon.tsx';
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
        aria-activedescendant={open ? `${id}-${active}` : undefined}
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
      <div
        className={styles.list}
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-multiselectable="true"
        aria-labelledby={`${id}-label`}
        hidden={!open}
        onPointerDown={(event) => event.preventDefault()}
        onMouseDown={(event) => event.preventDefault()}
      >
        {weekdays.map((day, index) => (
          <div
            key={day}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            className={styles.item}
            aria-selected={value.includes(day)}
            data-active={index === active || undefined}
            onPointerEnter={() => setActive(index)}
            onClick={() => toggle(day)}
          >
            <span className={styles.box}>
              {value.includes(day) && <Icon name="check" size={14} />}
            </span>
            {day}
          </div>
        ))}
      </div>
    </div>
  );
}
