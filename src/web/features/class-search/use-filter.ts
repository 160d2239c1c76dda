import { useInstantSearch, useRefinementList } from 'react-instantsearch';
import { type ClassFilter, type Choice, filterChoices } from './filter-choices.ts';

/** More subjects than any university has. */
const maxValues = 500;

/** One filter: its choices and a function to toggle them. */
export function useFilter({ attribute, fixed }: ClassFilter) {
  const { items, refine } = useRefinementList({
    attribute,
    operator: 'or',
    limit: maxValues,
    sortBy: ['name:asc'],
  });
  const { indexUiState } = useInstantSearch();
  const refined = indexUiState.refinementList?.[attribute] ?? [];
  const choices = filterChoices(items, fixed, refined);
  const toggle = ({ values, chosen }: Choice) => {
    // The index treats each spelling as a separate value.
    for (const value of values) {
      if (refined.includes(value) === chosen) refine(value);
    }
  };
  return { choices, chosen: choices.filter((choice) => choice.chosen), toggle };
}

/** Whether any filter is selected, and a function to clear all filters. The query stays. */
export function useClearFilters() {
  const { indexUiState, setIndexUiState } = useInstantSearch();
  const any = Object.values(indexUiState.refinementList ?? {}).some((values) => values.length > 0);
  const clear = () => setIndexUiState(({ query }) => (query ? { query } : {}));
  return { any, clear };
}
