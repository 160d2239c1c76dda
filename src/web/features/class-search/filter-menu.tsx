import { type KeyboardEvent, useId, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { useCheckboxPopup } from '#web/ui/use-checkbox-popup.ts';
import type { Choice } from './filter-choices.ts';
import styles from './filters.module.css';

interface Props {
  name: string;
  choices: readonly Choice[];
  onToggle: (choice: Choice) => void;
}

/** A longer list gets a text field to narrow it. Only subjects are so many. */
const maxWithoutSearch = 10;

/** A button with a list of checkboxes: a popup on a wide screen, a bottom sheet on a phone. */
export function FilterMenu({ name, choices, onToggle }: Props) {
  const id = useId();
  const popup = useCheckboxPopup();
  const { root, button, isOpen, setIsOpen, closeAndRefocus, handleBlur } = popup;
  const chosenChoices = choices.filter((choice) => choice.chosen);

  const handleKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (!popup.handleKey(event.key) && (!isOpen || !moveFocus(event.key, root.current))) return;
    event.preventDefault();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of its controls.
    <div className={styles.filter} ref={root} onKeyDown={handleKeyDown} onBlur={handleBlur}>
      <button
        ref={button}
        type="button"
        className={chosenChoices.length > 0 ? `${styles.trigger} ${styles.on}` : styles.trigger}
        aria-expanded={isOpen}
        aria-controls={`${id}-panel`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {name}
        {chosenChoices.length > 0 && (
          <span
            className={styles.count}
            aria-label={getText('classSearch.filter.selected', { count: chosenChoices.length })}
          >
            {chosenChoices.length}
          </span>
        )}
        <Icon name="chevron" size={16} />
      </button>
      {isOpen && (
        <>
          <div className={styles.scrim} />
          {/* Focusable, so that a press on its text keeps the focus inside. */}
          <div
            className={styles.panel}
            id={`${id}-panel`}
            role="group"
            aria-label={name}
            tabIndex={-1}
          >
            <FilterList choices={choices} name={name} onToggle={onToggle} />
            <div className={styles.done}>
              <Button variant="primary" wide onClick={closeAndRefocus}>
                {getText('common.done')}
              </Button>
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function FilterList({ name, choices, onToggle }: Props) {
  const [filterText, setFilterText] = useState('');
  const prefix = filterText.trim().toUpperCase();
  const shownChoices = choices.filter(({ label }) => label.toUpperCase().startsWith(prefix));
  return (
    <>
      <p className={styles.title}>{name}</p>
      {choices.length > maxWithoutSearch && (
        <input
          className={styles.narrow}
          type="text"
          aria-label={getText('classSearch.filter.findSubject')}
          placeholder={getText('classSearch.filter.findSubject')}
          autoComplete="off"
          spellCheck={false}
          value={filterText}
          onChange={(event) => setFilterText(event.target.value)}
        />
      )}
      <ul className="scroll">
        {shownChoices.map((choice) => (
          <li key={choice.label}>
            <label className={choice.count > 0 ? styles.item : `${styles.item} ${styles.none}`}>
              <input
                type="checkbox"
                checked={choice.chosen}
                onChange={() => onToggle(choice)}
                data-choice
              />
              <bdi className={styles.label}>{choice.label}</bdi>
              <span className="meta">{choice.count}</span>
            </label>
          </li>
        ))}
      </ul>
      {shownChoices.length === 0 && (
        <p className={styles.nothing}>{getText('classSearch.noMatches')}</p>
      )}
    </>
  );
}

/** Moves the focus from the button into the list, and up and down in it. */
function moveFocus(key: string, root: HTMLElement | null): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!step || !root) return false;
  const all = [...root.querySelectorAll<HTMLElement>('[data-choice]')];
  const index = all.findIndex((item) => item === document.activeElement);
  const next = index < 0 ? all.at(step > 0 ? 0 : -1) : all[index + step];
  next?.focus();
  return true;
}
