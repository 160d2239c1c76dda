/* oxlint-disable jsx-a11y/click-events-have-key-events -- the combobox has the focus and handles the keys. */
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './listbox.module.css';

interface Option {
  key: string;
  /** What screen readers say instead of the content. */
  label?: string;
  content: ReactNode;
}

interface Props {
  id: string;
  label: string;
  options: readonly Option[];
  /** The index of the option that Enter chooses. Null: Enter chooses none. */
  activeIndex: number | null;
  onActivate: (index: number) => void;
  onChoose: (index: number) => void;
  className?: string | undefined;
}

/** The list of a combobox, which keeps the focus and refers to the active option as `ID-KEY`. */
export function Listbox(props: Props) {
  const { id, label, options, activeIndex, onActivate, onChoose, className = '' } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[activeIndex ?? -1]?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);
  return (
    <div
      ref={list}
      id={id}
      className={`${styles.list} ${className}`}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      // Keeps the focus and the caret in the combobox.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      {options.map((option, index) => (
        <div
          key={option.key}
          id={`${id}-${option.key}`}
          className={styles.option}
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex}
          aria-label={option.label}
          // Not `pointerenter`: the list can appear or scroll under a pointer that rests.
          onPointerMove={() => onActivate(index)}
          onClick={() => onChoose(index)}
        >
          {option.content}
        </div>
      ))}
    </div>
  );
}
