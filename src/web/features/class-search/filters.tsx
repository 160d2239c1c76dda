import { type RefObject, useRef } from 'react';
import { getText } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import type { useClassQuery } from './class-query.ts';
import {
  type Choice,
  type ClassFilter,
  classFilters,
  filterNames,
  toChoices,
} from './filter-choices.ts';
import { FilterMenu } from './filter-menu.tsx';
import type { SearchState } from './use-search-results.ts';
import styles from './filters.module.css';

interface Props {
  search: ReturnType<typeof useClassQuery>;
  facetCounts: SearchState['facetCounts'];
  box: RefObject<HTMLInputElement | null>;
}

/** The filters and the selected values. */
export function Filters({ search, facetCounts, box }: Props) {
  const { currentQuery, hasFilters, toggle, clearFilters } = search;
  const chips = useRef<HTMLUListElement>(null);
  const filters = classFilters.map((filter) => {
    const { attribute, fixed } = filter;
    const selectedValues = currentQuery.filters[attribute] ?? [];
    return { filter, choices: toChoices(facetCounts[attribute] ?? {}, fixed, selectedValues) };
  });
  /** The focused chip is removed, so a neighbor takes the focus. */
  const moveFocus = (removedChip: Element) => {
    const all = [...(chips.current?.querySelectorAll('button') ?? [])];
    const i = all.findIndex((chip) => chip === removedChip);
    const neighbor = all[i + 1] === all.at(-1) ? all[i - 1] : all[i + 1];
    const target = all.length > 2 ? neighbor : box.current;
    target?.focus();
  };
  const remove = (chip: Element, filter: ClassFilter, choice: Choice) => {
    moveFocus(chip);
    toggle(filter, choice);
  };
  return (
    <div className={styles.filters} role="group" aria-label={getText('classSearch.filters.label')}>
      <div className={styles.triggers}>
        {filters.map(({ filter, choices }) => (
          <FilterMenu
            key={filter.attribute}
            name={filterNames[filter.attribute]}
            choices={choices}
            onToggle={(choice) => toggle(filter, choice)}
          />
        ))}
      </div>
      {hasFilters && (
        <ul className={styles.chips} aria-label={getText('classSearch.chosenFilters')} ref={chips}>
          {filters.map(({ filter, choices }) =>
            choices
              .filter(({ chosen }) => chosen)
              .map((choice) => (
                <li key={`${filter.attribute} ${choice.label}`}>
                  <button
                    type="button"
                    className={styles.chip}
                    aria-label={getText('classSearch.filters.remove', {
                      filter: filterNames[filter.attribute],
                      value: choice.label,
                    })}
                    onClick={({ currentTarget }) => remove(currentTarget, filter, choice)}
                  >
                    <bdi>{choice.label}</bdi>
                    <Icon name="close" size={16} />
                  </button>
                </li>
              )),
          )}
          <li>
            <TextButton
              onClick={() => {
                box.current?.focus();
                clearFilters();
              }}
            >
              {getText('classSearch.filters.clearAll')}
            </TextButton>
          </li>
        </ul>
      )}
    </div>
  );
}
