import { type RefObject, useRef } from 'react';
import { Icon } from '#web/ui/icon.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { type ClassFilter, classFilters } from './filter-choices.ts';
import { FilterMenu } from './filter-menu.tsx';
import { useClearFilters, useFilter } from './use-filter.ts';
import styles from './filters.module.css';

function Filter({ filter }: { filter: ClassFilter }) {
  const { choices, toggle } = useFilter(filter);
  return <FilterMenu name={filter.name} choices={choices} onToggle={toggle} />;
}

function SelectedChips({
  filter,
  onRemoved,
}: {
  filter: ClassFilter;
  onRemoved: (at: Element) => void;
}) {
  const { chosen, toggle } = useFilter(filter);
  return chosen.map((choice) => (
    <li key={choice.label}>
      <button
        type="button"
        className={styles.chip}
        aria-label={`Remove ${filter.name} ${choice.label}`}
        onClick={({ currentTarget }) => {
          onRemoved(currentTarget);
          toggle(choice);
        }}
      >
        <bdi>{choice.label}</bdi>
        <Icon name="close" size={16} />
      </button>
    </li>
  ));
}

/** The filters and the selected values. */
export function Filters({ box }: { box: RefObject<HTMLInputElement | null> }) {
  const { any, clear } = useClearFilters();
  const chips = useRef<HTMLUListElement>(null);
  /** The focused chip is removed, so a neighbour takes the focus. */
  const moveFocus = (at: Element) => {
    const all = [...(chips.current?.querySelectorAll('button') ?? [])];
    const i = all.findIndex((one) => one === at);
    const next = all.length > 2 ? (all[i + 1] === all.at(-1) ? all[i - 1] : all[i + 1]) : undefined;
    (next ?? box.current)?.focus();
  };
  return (
    <div className={styles.filters} role="group" aria-label="Filters">
      <div className={styles.triggers}>
        {classFilters.map((filter) => (
          <Filter key={filter.attribute} filter={filter} />
        ))}
      </div>
      {any && (
        <ul className={styles.chips} aria-label="Selected filters" ref={chips}>
          {classFilters.map((filter) => (
            <SelectedChips key={filter.attribute} filter={filter} onRemoved={moveFocus} />
          ))}
          <li>
            <TextButton
              onClick={() => {
                box.current?.focus();
                clear();
              }}
            >
              Clear all
            </TextButton>
          </li>
        </ul>
      )}
    </div>
  );
}
