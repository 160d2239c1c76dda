/* oxlint-disable jsx-a11y/click-events-have-key-events -- the focused combobox handles the keys. */
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { type Weekday, weekdays } from '#contract/class-fields.ts';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { useDismiss } from '#web/ui/use-dismiss.ts';
import styles from './days-field.module.css';

interface Props {
  value: readonly Weekday[];
  problem: string | undefined;
  onChange: (days: Weekday[]) => void;
}

/**
 * Selects several days: a select-only combobox whose list stays open. The focus stays on the button, and
 * `aria-activedescendant` identifies the active option.
 */
export function DaysField({ value, problem, onChange }: Props) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [activeIndex, setActiveIndex] = useState(0);
  const close = useCallback(() => setIsOpen(false), []);
  useDismiss(root, isOpen, close);

  const toggle = (day: Weekday | undefined) => {
    if (day === undefined) return;
    const isChosen = (weekday: Weekday) =>
      weekday === day ? !value.includes(day) : value.includes(weekday);
    onChange(weekdays.filter(isChosen));
  };
  const moveTo = (index: number) => {
    setIsOpen(true);
    setActiveIndex(Math.max(0, Math.min(weekdays.length - 1, index)));
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const typedIndex = weekdays.findIndex((day) => day[0]?.toLowerCase() === key.toLowerCase());
    if (key === 'ArrowDown') moveTo(isOpen ? activeIndex + 1 : activeIndex);
    else if (key === 'ArrowUp') moveTo(isOpen ? activeIndex - 1 : activeIndex);
    else if (isOpen && key === 'Home') moveTo(0);
    else if (isOpen && key === 'End') moveTo(weekdays.length - 1);
    else if (isOpen && (key === 'Enter' || key === ' ')) toggle(weekdays[activeIndex]);
    else if (isOpen && key === 'Escape') close();
    else if (typedIndex >= 0 && !event.metaKey && !event.ctrlKey) moveTo(typedIndex);
    else return;
    event.preventDefault();
  };

  return (
    <div className={styles.field} ref={root}>
      <span className={styles.label} id={`${id}-label`}>
        Days of the week
      </span>
      <button
        {...toControlProps(id, { problem })}
        type="button"
        role="combobox"
        className={styles.trigger}
        aria-labelledby={`${id}-label`}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen ? `${id}-${activeIndex}` : undefined}
        onClick={() => setIsOpen(!isOpen)}
        onKeyDown={handleKeyDown}
        onBlur={(event) => {
          if (!root.current?.contains(event.relatedTarget)) close();
        }}
      >
        <span className={value.length > 0 ? styles.value : `${styles.value} ${styles.none}`}>
          {value.length > 0 ? value.join(', ') : 'Select days'}
        </span>
        <Icon name="chevron" />
      </button>
      <FieldProblem id={id}>{problem}</FieldProblem>
      <div
        className={styles.list}
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-multiselectable="true"
        aria-labelledby={`${id}-label`}
        hidden={!isOpen}
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
            data-active={index === activeIndex || undefined}
            onPointerEnter={() => setActiveIndex(index)}
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
