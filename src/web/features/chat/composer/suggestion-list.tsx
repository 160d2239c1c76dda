/* oxlint-disable jsx-a11y/click-events-have-key-events -- the text field has the focus and handles the keys. */
import { type ReactNode, useEffect, useRef } from 'react';
import { optionId } from './suggestion-keys.ts';
import styles from './suggestion-list.module.css';

interface Suggestion {
  key: string;
  /** What screen readers say, if not the content. */
  label?: string;
  content: ReactNode;
}

interface Props {
  id: string;
  label: string;
  suggestions: readonly Suggestion[];
  /** The index of the one that Enter chooses. */
  active: number;
  onActive: (index: number) => void;
  onChoose: (index: number) => void;
  className?: string | undefined;
}

/** Suggestions for what the member types. The text field keeps the focus and refers to the active one. */
export function SuggestionList(props: Props) {
  const { id, label, suggestions, active, onActive, onChoose, className = '' } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div
      ref={list}
      id={id}
      className={`${styles.list} ${className}`}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      // Keeps the focus and the caret in the text field.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      {suggestions.map((suggestion, index) => (
        <div
          key={suggestion.key}
          id={optionId(id, suggestion.key)}
          className={styles.option}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          aria-label={suggestion.label}
          // Not `pointerenter`: the list can appear under a pointer that rests.
          onPointerMove={() => onActive(index)}
          onClick={() => onChoose(index)}
        >
          {suggestion.content}
        </div>
      ))}
    </div>
  );
}
